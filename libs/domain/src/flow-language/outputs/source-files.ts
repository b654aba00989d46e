import type { Definition } from '../definition/definition.ts';
import { connectionSources } from './sources.ts';

/** One copy of a connection source that the start of a run must supply. @spec D2-4.1 */
export interface RequiredFile {
  source_key: string;
  for_user_id: string;
  /** The customer whose file it is. */
  source_user_id: string;
}

/** A staged copy of a file. */
export interface StagedFile extends RequiredFile {
  file: string;
}

/** The user to whom each party is bound. @spec D2-2.2 */
export type Bindings = Readonly<Record<string, string>>;

/** Whether a customer shared something for a request field. */
export type IsShared = (party: string, request_slug: string) => boolean;

/** Returns one file for each shared connection source and each bound user, including the company's own copy. @spec D2-4.1 */
export function requiredSourceFiles(definition: Definition, bindings: Bindings, isShared: IsShared): RequiredFile[] {
  const users = [...new Set(Object.values(bindings))];
  return connectionSources(definition)
    .filter(({ party, request_slug }) => Object.hasOwn(bindings, party) && isShared(party, request_slug))
    .flatMap(({ source_key, party }) => users.map((for_user_id) => ({ source_key, for_user_id, source_user_id: bindings[party]! })));
}

/** The members of the refusal flows.source_files_invalid. @spec D2-7 */
export interface SourceFilesFault {
  missing: RequiredFile[];
  unexpected: string[];
}

/** Returns what is wrong with a start's `source_files`. Null when they are exactly the required set. @spec D2-7 */
export function sourceFilesFault(required: readonly RequiredFile[], staged: readonly StagedFile[]): SourceFilesFault | null {
  const open = [...required];
  const unexpected: string[] = [];
  for (const file of staged) {
    const index = open.findIndex((wanted) => isCopy(wanted, file));
    if (index < 0) unexpected.push(file.file);
    else open.splice(index, 1);
  }
  return open.length || unexpected.length ? { missing: open, unexpected } : null;
}

const isCopy = (wanted: RequiredFile, file: StagedFile): boolean =>
  wanted.source_key === file.source_key && wanted.for_user_id === file.for_user_id && wanted.source_user_id === file.source_user_id;
