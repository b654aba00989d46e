import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { RawFile } from '../core/file.ts';
import { Region } from '../core/region.ts';

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
    'of `/oauth2/jwks` of the front door. It is a minute old at most. Keep it: a later head that does not extend it proves that ' +
    'history was changed. The last part of the origin is the number of the log; another one means that the database was restored.',
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
    'leaves here.',
  params: z.object({
    log: number.describe('The number of the log, from the origin of its head'),
    page: number.describe('Which page, from 0'),
  }),
  result: RawFile,
  produces: 'bytes',
  refusals: ['rate_limit.exceeded'],
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
