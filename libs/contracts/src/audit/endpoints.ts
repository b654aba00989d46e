import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { expects, fails } from '../core/fails.ts';
import { RawFile } from '../core/file.ts';
import { Region } from '../core/region.ts';
import { Timestamp } from '../core/text.ts';

/** How many leaves of the transparency log one page has: 128 KB. @gap D1-8 */
export const LOG_PAGE = 4096;

/** The most logs of one base that the others keep heads of: a log begins after a restore of the database. @gap D1-8 */
export const LOGS_OF_BASE = 100;

const PUBLIC = { tag: 'access', at: ['front-door', 'region'], callers: ['anyone'], spec: 'D1-8', limit: 'transparency' } as const;

const number = z.string().regex(/^[0-9]{1,9}$/, fails('request.not_found'));

/** The head of the transparency log of this base. @gap D1-8 */
export const readLogHead = endpoint('read_log_head', 'GET /.well-known/codase-log/checkpoint', {
  ...PUBLIC,
  summary: 'The signed head of the transparency log of this base',
  description:
    'Each base keeps a log of its audit, which only grows: a Merkle tree of RFC 9162. The head is a checkpoint (C2SP ' +
    'tlog-checkpoint): the origin, how many leaves there are, the root in base64, the time, and a signature with ES256 by a key ' +
    'of this base, which `/.well-known/codase-log/keys` lists. It is a minute old at most. Keep it: a later head that does not extend ' +
    'it proves that history was changed. The last part of the origin is the number of the log; another one means that the database ' +
    'was restored.',
  result: RawFile,
  produces: 'bytes',
  refusals: ['rate_limit.exceeded'],
});

/** The leaves of the transparency log. They tell nothing without the entries of the audit and their salts. @gap D1-8 */
export const readLogLeaves = endpoint('read_log_leaves', 'GET /.well-known/codase-log/{log}/leaves/{page}', {
  ...PUBLIC,
  summary: 'A page of the leaves of the transparency log of this base',
  description:
    `The hashes of ${LOG_PAGE} leaves, of 32 bytes each, one after the other; the first page is 0, and the last one is shorter. A leaf ` +
    'is the hash of a salted commitment to an entry of the audit, and tells nothing of it. Whoever has exported entries finds their ' +
    'leaves here. A log or a page that is not there is answered 404.',
  params: z.object({
    log: number.describe('The number of the log, from the origin of its head'),
    page: number.describe('Which page, from 0'),
  }),
  result: RawFile,
  produces: 'bytes',
  refusals: ['rate_limit.exceeded', 'log.not_found'],
});

/** The heads of other bases. Whoever compares them sees when a base shows another history than it showed before. @gap D1-8 */
export const readLogMirror = endpoint('read_log_mirror', 'GET /.well-known/codase-log/mirrors/{base}', {
  ...PUBLIC,
  summary: 'The newest heads of the transparency log of another base, as this base holds them',
  description:
    'Each base asks every other one for its signed head once a minute, and keeps it when it extends the head that it holds. There is one ' +
    'head for each log of the base, the newest log first; none when this base holds nothing of the other one. A head that is held here ' +
    'and that the log of its base does not contain proves that history was changed.',
  params: z.object({ base: Region.describe('`front-door`, or the name of a region') }),
  result: z.object({ heads: z.array(z.string()).max(LOGS_OF_BASE).describe('Signed heads, in the form of the checkpoint') }),
  refusals: ['rate_limit.exceeded'],
});

/**
 * The kinds of keys in the log: account keys of persons and companies, device keys and certificates of seals at the front door, keys of
 * services in their region.
 */
export const KEY_KINDS = ['account', 'service', 'seal', 'device'] as const;

/** A public key, by what its readers know of it. */
const ofKey = z.strictObject({
  kind: z.enum(KEY_KINDS, fails('keys.not_logged')).describe('What the key is'),
  owner: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, fails('keys.not_logged'))
    .describe('Whose it is: the share code of an account, the id of a service or of the user of a device, the region of a seal'),
  key_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, fails('keys.not_logged'))
    .describe('The SHA-256 of the key as DER, of the certificate, or of the JWK of a device (RFC 7638), in hexadecimal'),
});
export type ReadKey = z.infer<typeof ofKey>;

const digits = (most: number) => z.string().regex(new RegExp(`^[0-9]{1,${most}}$`), expects(`must be a number of at most ${most} digits`));
const seen = z.strictObject({
  seen_log: digits(9).optional().describe('The number of the log that the caller saw before'),
  seen_size: digits(15).optional().describe('How many leaves it had then: the answer shows that it only grew since'),
});
const Hash = z.base64().length(44);
/** A path has a hash for each level of a tree, and twice as many between two trees. */
const Path = z.array(Hash).max(128);

/** What shows that the log has a key: it opens the leaf of that key, and tells nothing that the reader of the key does not know. */
const KeyProof = z.object({
  /** When the key was logged. */
  at: Timestamp,
  salt: z.string().describe('The salt of the commitment to the key; it is deleted with the owner'),
  entry_salt: z.string().describe('The salt of the entry of the audit that has the commitment, and nothing else of the key'),
  leaf: z.int().min(0).describe('The number of the leaf'),
  path: Path.describe('The inclusion path (RFC 9162, 2.1.3), from the leaf to the root'),
  head: z.string().max(1000).describe('The signed head, in the form of the checkpoint'),
  consistency: Path.nullable().describe('The consistency path (RFC 9162, 2.1.4) from what was seen; null in another log'),
});
export type KeyProof = z.infer<typeof KeyProof>;

const PROVES =
  'Shows that the log has a public key, for whoever knows the key and its owner; to anyone else it says nothing. The leaf is that of an ' +
  'entry of the audit with a salted commitment. A key that was just made is refused with `keys.not_logged_yet` for some seconds. ';

/** The proof that a key is in the log of this base. @gap D1-8 */
export const proveKey = endpoint('prove_key', 'GET /.well-known/codase-log/keys/{kind}/{owner}/{key_sha256}', {
  ...PUBLIC,
  summary: 'The proof that a public key is in the transparency log of this base',
  description: `${PROVES}The front door has the keys of accounts, seals and devices, a region those of services.`,
  params: ofKey,
  query: seen,
  result: KeyProof,
  refusals: ['request.invalid', 'rate_limit.exceeded', 'keys.not_logged', 'keys.not_logged_yet'],
});

/** The keys that sign heads, as a JSON Web Key Set has them. */
const HeadKey = z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string(), kid: z.string() });

/** The same for clients that reach nothing but their region, which asks the front door for what that one holds. @gap D1-8 */
export const readKeyProof = endpoint('read_key_proof', 'GET /api/keys/{kind}/{owner}/{key_sha256}', {
  tag: 'registry',
  at: ['region'],
  spec: 'D1-8',
  callers: ['service', 'account', 'portal', 'person'],
  summary: 'The proof that a public key is in the transparency log of its base',
  description: `${PROVES}The region asks the front door for what it does not hold, and says which keys sign the heads of that base.`,
  params: ofKey,
  query: seen,
  result: KeyProof.extend({ base: Region.describe('The base whose log it is'), keys: z.array(HeadKey).max(20) }),
  refusals: ['request.invalid', 'keys.not_logged', 'keys.not_logged_yet'],
});

/** The keys of each base, so that a head is not taken for that of a base whose key did not sign it. @gap D1-8 */
export const readLogKeys = endpoint('read_log_keys', 'GET /.well-known/codase-log/keys', {
  ...PUBLIC,
  summary: 'The keys that sign the heads of each base',
  description: 'The public keys of all bases, each with the address of its log. A head is valid with a key of its own base alone.',
  result: z.object({
    bases: z
      .array(
        z.object({
          base: Region,
          address: z.string().describe('The address of the log, without its scheme'),
          keys: z.array(HeadKey).max(20),
        }),
      )
      .max(100),
  }),
  refusals: ['rate_limit.exceeded'],
});
