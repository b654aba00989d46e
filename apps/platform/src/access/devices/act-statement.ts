import { createHash } from 'node:crypto';
import { ActClaims, canonicalJson, STATEMENT_TYPE, type PersonAct } from '@codase/contracts';
import { isRecent, readDeviceJws, type DeviceJws } from '../tokens/index.ts';
import type { z } from 'zod';

/** What is wrong with the statement over an act, as an app reads it. The names are the values of a label of the metric. */
export const STATEMENT_FAULTS = {
  missing:
    'A device of this account has a key, so the act needs its statement (Codase-Act). Act on such a device, or remove the device there',
  malformed: 'Codase-Act: must be a JWS of the type codase-act+jwt, signed with ES256 by the P-256 key in its header',
  act: 'Codase-Act: act, on and digest must be those of this operation, its id in the path, and its body',
  time: 'Codase-Act: iat must be at most a minute away from the Date of this answer',
  key: 'Codase-Act: must be signed by a device of this account that was not removed',
  replayed: 'Codase-Act: each statement is valid once, so make a new one with another jti',
} as const;
export type StatementFault = keyof typeof STATEMENT_FAULTS;

type Statement = DeviceJws<z.infer<typeof ActClaims>>;

/** Checks a statement over an act against the keys of the person, except whether it was used before. Returns what is wrong, if anything is. */
export function readStatement(
  text: string | undefined,
  { act, on, body }: PersonAct,
  jkts: readonly string[],
  now: Date,
): Statement | StatementFault {
  if (text === undefined) return 'missing';
  const statement = readDeviceJws(text, STATEMENT_TYPE, ActClaims);
  if (!statement) return 'malformed';
  const { claims, jkt } = statement;
  if (!jkts.includes(jkt)) return 'key';
  if (claims.act !== act || claims.on !== on || claims.digest !== digestOf(body)) return 'act';
  return isRecent(claims.iat, now) ? statement : 'time';
}

const digestOf = (body: object): string => createHash('sha256').update(canonicalJson(body)).digest('base64url');
