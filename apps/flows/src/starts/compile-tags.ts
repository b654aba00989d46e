import { customerTags, type Bindings, type Definition } from '@codase/domain/flow-language';

/** A value that a customer shares with the service, opened. */
export interface SharedValue {
  plaintext: string;
  is_private: boolean;
}

/** The values that one recipient sees in the run's text. Public values are sealed together, each private value apart. @spec D2-4.1 */
export interface RecipientTags {
  public: Record<string, { v: string; t: string }>;
  private: Record<string, { v: string; t: string }>;
}

/** The name of the company among recipients. @spec D2-4.1 */
export const COMPANY = 'company';

/**
 * Returns the customers' values that the text of a flow names, by recipient. A value that is not private is for every participant. A
 * private value is only for its own party and the company. A value that is not shared, or does not open, is left out. @spec D2-4.1
 */
export function compileTags(
  definition: Definition,
  { bindings, company_user_id, types }: { bindings: Bindings; company_user_id: string; types: Readonly<Record<string, string>> },
  sharedBy: (party: string, field: string) => SharedValue | undefined,
): Map<string, RecipientTags> {
  const users = [...new Set(Object.values(bindings))].filter((user) => user !== company_user_id);
  const compiled = new Map([COMPANY, ...users].map((recipient): [string, RecipientTags] => [recipient, { public: {}, private: {} }]));
  for (const { tag, party, field } of customerTags(definition)) {
    const shared = sharedBy(party, field);
    if (!shared) continue;
    const value = { v: shared.plaintext, t: types[field] ?? 'text' };
    for (const [recipient, tags] of compiled) {
      if (!shared.is_private) tags.public[tag] = value;
      else if (recipient === COMPANY || recipient === bindings[party]) tags.private[tag] = value;
    }
  }
  return compiled;
}
