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
  /** Members of the body that are stated by their digests, an array element by element: so a region can check the element that it gets. */
  digested?: readonly string[] | undefined;
}

/** An act as a request between regions has it. */
export interface SentAct extends PersonAct {
  /** When the person did it, by the clock of the home region. It decides which of two acts is the later one. */
  at?: string;
  /** Set when the act was stored in the home region before, and comes from there when it can: what comes of `copies`. */
  relayed?: { copies: readonly object[] };
}

/** An endpoint by which a person acts. Its `act` names the path parameter, or the member of the body, that says what is acted on. */
interface ActEndpoint {
  name: string;
  act?: string;
  digested?: readonly string[];
  body?: z.ZodType;
}

/** Returns the act of a request, as a device states it. */
export function actOf({ name: act, act: object = '', digested, body: shape }: ActEndpoint, params: object, body: object = {}): PersonAct {
  const named = { ...body, ...params } as Readonly<Record<string, unknown>>;
  return { act, on: String(named[object]), body: shape ? statedBody(shape, body) : {}, digested };
}

/** Returns the body of an act with digests in place of its digested members. `digestOf` digests the canonical form of what it is given. */
export function digestedBody({ body, digested = [] }: PersonAct, digestOf: (part: unknown) => string): PersonAct['body'] {
  const part = (member: unknown) => (Array.isArray(member) ? member.map(digestOf) : digestOf(member));
  const members = Object.entries(body).map(([name, member]) => [name, digested.includes(name) ? part(member) : member]);
  return Object.fromEntries(members) as PersonAct['body'];
}

/** Members that are not stated: the file of an act, whose digest is checked with the file, and the key that it travels under. */
const FILE_MEMBERS = ['otk', 'file'];

/**
 * Returns a body as a device states it: without a file, and without the members that have their default. So it does not matter who fills
 * defaults in, and a default that is added later changes no statement of an older app.
 */
export function statedBody(shape: z.ZodType, body: object): PersonAct['body'] {
  const stated = Object.entries(body).filter(([member]) => !FILE_MEMBERS.includes(member));
  return withoutDefaults(shape, Object.fromEntries(stated)) as PersonAct['body'];
}

function withoutDefaults(shape: unknown, value: unknown): unknown {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodDefault) return withoutDefaults(shape.unwrap(), value);
  if (shape instanceof z.ZodArray && Array.isArray(value)) return value.map((element) => withoutDefaults(shape.element, element));
  if (!(shape instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => !isDefault(shape.shape[name], member));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDefaults(shape.shape[name], member)]));
}

const isDefault = (shape: unknown, member: unknown): boolean =>
  shape instanceof z.ZodDefault && canonicalJson(member) === canonicalJson(shape.def.defaultValue);

/**
 * What a device states. `digest` is the SHA-256 of the body in the form of `canonicalJson`, in base64url. `files` is that of an object with
 * the files that the body names by id: for each id the SHA-256, in hex, of the answer to who reads the file.
 */
export const ActClaims = z.object({
  act: z.string(),
  on: z.string(),
  digest: z.string(),
  files: z.string().optional(),
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
