import { z } from 'zod';

/** The header in which an act of a person carries the statement of the person's device. @gap D1-5 */
export const ACT_HEADER = 'codase-act';
/** The longest statement: a header, claims and a signature. */
export const STATEMENT_CHARS = 2048;
/** The type of the JWS that a statement is. */
export const STATEMENT_TYPE = 'codase-act+jwt';

/**
 * What a person does: the name of the operation, the id of what it is done to, and the members of the body, without a file. What is stated
 * and what is stored are compared in this form.
 */
export interface PersonAct {
  act: string;
  on: string;
  body: Readonly<Record<string, unknown>>;
}

/** What a device states. `digest` is the SHA-256 of the body in the form of `canonicalJson`, in base64url. */
export const ActClaims = z.object({
  act: z.string(),
  on: z.string(),
  digest: z.string(),
  iat: z.int(),
  jti: z.string().min(1).max(128),
});

/** Writes JSON in the one form that both sides compute (RFC 8785): members in the order of their names, without blanks. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join()}}`;
}
