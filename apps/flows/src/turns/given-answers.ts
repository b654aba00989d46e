import { GivenFile } from '@codase/contracts';
import type { Draft, Kinds } from '@codase/domain/flow-language';

/** Answers of a step as they were given, by slug. */
export type Given = Readonly<Record<string, unknown>>;

/** A member of the answers that does not fit. The slug `next` stands for the step as a whole. */
export interface AnswerFault {
  slug: string;
  fault: string;
}

/** Returns the given answers as drafts, as a form would have them. */
export const draftsOf = (given: Given): Record<string, Draft> =>
  Object.fromEntries(Object.entries(given).map(([slug, value]): [string, Draft] => [slug, { value: asTravelling(value) }]));

/** Converts a number to its text, because numbers are sent as text. */
const asTravelling = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);

/** The copies of a file, by user. */
export type Copies = Readonly<Record<string, string>>;

/**
 * Takes the files out of the answers. Each party has its own copy of a file, and the answers keep only the company's copy, as a form would.
 * The platform would refuse a file without a copy for each bound user. @spec D2-4.2
 */
export function takeFiles(
  kinds: Kinds,
  given: Given,
  { users, company_user_id }: { users: readonly string[]; company_user_id: string },
): { given: Given; files: ReadonlyMap<string, Copies> } | { faults: AnswerFault[] } {
  const files = new Map<string, Copies>();
  const faults: AnswerFault[] = [];
  const taken = Object.entries(given).map(([slug, value]): [string, unknown] => {
    if (kinds.get(slug) !== 'binary' || value === null || value === '') return [slug, value];
    const { data } = GivenFile.safeParse(value);
    if (!data || !isForAll(data.files, users)) {
      faults.push({ slug, fault: `${slug} must be a file: {files} with the copy of each party, as upload_answer_file stored it` });
      return [slug, value];
    }
    files.set(slug, data.files);
    return [slug, { _enc_file: data.files[company_user_id] }];
  });
  return faults.length > 0 ? { faults } : { given: Object.fromEntries(taken), files };
}

const isForAll = (files: Copies, users: readonly string[]): boolean =>
  Object.keys(files).length === users.length && users.every((user) => Object.hasOwn(files, user));
