import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { KeyLog, KeyNotLogged, type CodaseClient, type SeenHead } from '@codase/client';
import { auditLog, KEY_KINDS, Refusal, registry, type ReadKey } from '@codase/contracts';
import { Fault, UsageFault } from '@codase/command-line';
import { clientCommands } from './client-with.ts';
import { oneOf, TEXT } from './command.ts';
import { mirroredHeads, readLogBases, type LogBase } from './log-bases.ts';

const MENDS = {
  'keys.not_logged': ' Do not seal to it: it may have been swapped. Ask its owner for the SHA-256 of the key, and tell the platform.',
} as const;

/** Shows that the transparency log of the platform has a key, as the services of the company are given it. */
export const keyVerify = clientCommands(MENDS)(
  { key: TEXT, front: TEXT, mirrors: TEXT, state: TEXT },
  ({ key: file, front, mirrors, state }, [givenKind = '', owner, ...rest]) => {
    const kind = oneOf(KEY_KINDS, 'KIND', givenKind);
    if (owner === undefined || rest.length > 0) throw new UsageFault('It is: key verify KIND OWNER.');
    if (kind !== 'account' && file === undefined) throw new UsageFault(`--key FILE is missing: the ${kind} is looked for by its key.`);
    if (mirrors !== undefined && front === undefined)
      throw new UsageFault('--mirrors needs --front URL, which lists the keys of the bases.');
    return async (codase, { print }) => {
      const key = { kind, owner, key_sha256: file === undefined ? await accountKey(codase, owner) : keyIn(file) };
      const bases = front === undefined ? undefined : await readLogBases(front);
      const seen = state === undefined ? undefined : readSeen(state);
      const { log, at, base } = await checked(codase, key, { bases, seen });
      const mirrored = await compared(codase, key, { bases, base, mirrors: mirrors?.split(',') ?? [] });
      if (state !== undefined) writeFileSync(state, JSON.stringify(log.seen));
      const result = { ...key, base, logged_at: at, log: log.seen!.log, size: log.seen!.size, mirrors: mirrored };
      print(
        `${kind} ${owner}: SHA-256 ${key.key_sha256}, in the log of ${base} since ${at}, and so ${mirrored} heads that other bases hold.`,
        result,
      );
    };
  },
);

/** Returns the SHA-256 of the key that the gateway gives services for an account. */
async function accountKey(codase: CodaseClient, shareCode: string): Promise<string> {
  const { public_key } = await codase.request(registry.readPublicKey, { params: { shareCode } });
  return sha256(Buffer.from(public_key, 'base64'));
}

/** Returns the SHA-256 of the key or the certificate in a file: in PEM, or a key as base64. */
function keyIn(file: string): string {
  try {
    const text = readFileSync(file, 'latin1');
    if (text.includes('BEGIN CERTIFICATE')) return sha256(new X509Certificate(text).raw);
    const key = text.includes('BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return sha256(key.export({ format: 'der', type: 'spki' }));
  } catch (cause) {
    throw new Fault(`${file} has no public key and no certificate that can be read: give PEM, or the base64 of a key.`, { cause });
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function readSeen(file: string): SeenHead | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SeenHead;
  } catch (cause) {
    throw new Fault(`${file} holds no head of a log: name the file of an earlier check, or one that is not there yet.`, { cause });
  }
}

/**
 * Checks the proof that the region gives. The keys of the base are those that the front door lists, or else those that the region says.
 */
async function checked(
  codase: CodaseClient,
  key: ReadKey,
  { bases, seen }: { bases: readonly LogBase[] | undefined; seen: SeenHead | undefined },
) {
  const log = new KeyLog({ now: Date.now, keys: [], seen });
  const ask = (from: SeenHead | undefined) => {
    const query = from ? { seen_log: String(from.log), seen_size: String(from.size) } : {};
    return codase.request(auditLog.readKeyProof, { params: key, query });
  };
  try {
    const { at, base } = await log.check(key, ask, (proof) => bases?.find(({ base }) => base === proof.base)?.keys ?? proof.keys);
    return { log, at, base };
  } catch (error) {
    if (error instanceof KeyNotLogged) throw new Fault(`${error.message}.`, { cause: error });
    throw error instanceof Refusal ? error : new Fault('The proof cannot be read.', { cause: error });
  }
}

/** Checks that the log extends each head that other bases hold of it. Returns how many there are. */
async function compared(
  codase: CodaseClient,
  key: ReadKey,
  { bases, base, mirrors }: { bases: readonly LogBase[] | undefined; base: string; mirrors: readonly string[] },
): Promise<number> {
  const of = bases?.find((one) => one.base === base);
  if (!of || mirrors.length === 0) return 0;
  const { heads, unreachable } = await mirroredHeads(of, mirrors);
  if (unreachable.length > 0) throw new Fault(`${unreachable.join(', ')} does not say which heads it holds.`);
  const newest = Math.max(...heads.map(({ head }) => head.log));
  const current = heads.filter(({ head }) => head.log === newest);
  for (const { head } of current) await checked(codase, key, { bases, seen: head });
  return current.length;
}
