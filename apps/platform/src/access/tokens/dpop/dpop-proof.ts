import { createHash } from 'node:crypto';
import { DEVICE_PROOF_SECONDS } from '@codase/contracts';
import { z } from 'zod';
import { readDeviceJws, type DeviceJws } from './device-jws.ts';

/** What is wrong with a proof, as a client reads it. The names are the values of a label of the metric. */
export const PROOF_FAULTS = {
  missing: 'The DPoP header is missing, or is there more than once',
  malformed: 'DPoP: must be a JWT of the type dpop+jwt, signed with ES256 by the P-256 key in its header',
  request: 'DPoP: htm and htu must be the method and the address of this request, without its query',
  time: `DPoP: iat must be at most ${DEVICE_PROOF_SECONDS} seconds away from the Date of this answer`,
  token: 'DPoP: ath must be the SHA-256 of the access token',
  key: 'DPoP: must be signed by the key that the access token is bound to',
  replayed: 'DPoP: each proof is valid once, so make a new one with another jti',
} as const;
export type ProofFault = keyof typeof PROOF_FAULTS;

const ProofClaims = z.object({
  htm: z.string(),
  htu: z.string(),
  iat: z.int(),
  jti: z.string().min(1).max(128),
  ath: z.string().optional(),
});
export type DpopProof = DeviceJws<z.infer<typeof ProofClaims>>;

/** The request that a proof comes with. Beside an access token, the proof has the hash of the token and is signed by its key. */
export interface ProvenRequest {
  method: string;
  url: string;
  bound?: { token: string; jkt: string } | undefined;
}

/** Checks a proof, except whether it was used before (RFC 9449, 4.3). Returns what is wrong with it, if anything is. */
export function readProof(text: string | undefined, { method, url, bound }: ProvenRequest, now: Date): DpopProof | ProofFault {
  if (text === undefined) return 'missing';
  const proof = readDeviceJws(text, 'dpop+jwt', ProofClaims);
  if (!proof) return 'malformed';
  const { htm, htu, iat, ath } = proof.claims;
  if (htm !== method || addressOf(htu) !== addressOf(url)) return 'request';
  if (!isRecent(iat, now)) return 'time';
  if (bound && ath !== createHash('sha256').update(bound.token, 'ascii').digest('base64url')) return 'token';
  if (bound && proof.jkt !== bound.jkt) return 'key';
  return proof;
}

/** Whether a device said something just now. The clocks of devices differ in both directions. */
export const isRecent = (iat: number, now: Date): boolean => Math.abs(now.getTime() - iat * 1000) <= DEVICE_PROOF_SECONDS * 1000;

/** The address without query and fragment, in the form that two spellings of it share. */
function addressOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
