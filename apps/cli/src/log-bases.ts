import { readLogHead, type LogHead } from '@codase/client';
import type { auditLog, Output } from '@codase/contracts';
import { Fault } from '@codase/command-line';

/** A base with a transparency log: its name, the address of its log without scheme, and the keys that sign the heads of this log alone. */
export type LogBase = Output<typeof auditLog.readLogKeys>['bases'][number];

/** The heads of a log that other bases hold, each with the address of its holder, and the holders that do not answer. */
interface MirroredHeads {
  heads: { head: LogHead; at: string }[];
  unreachable: string[];
}

const ANSWER_MS = 30_000;

/** Reads from the server at an address. An answer that says that there is nothing is empty. */
export async function getFrom(url: string, path: string): Promise<Buffer> {
  const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(ANSWER_MS) }).catch((cause: unknown) => {
    throw new Fault(`${url} cannot be reached.`, { cause });
  });
  if (answer.status === 404) return Buffer.alloc(0);
  if (!answer.ok) throw new Fault(`${new URL(path, url).href} answers ${answer.status}.`);
  return Buffer.from(await answer.arrayBuffer());
}

/** Reads which bases there are, and their keys. */
export async function readLogBases(url: string): Promise<LogBase[]> {
  const text = (await getFrom(url, '/.well-known/codase-log/keys')).toString();
  if (text === '') throw new Fault(`${url} does not say which keys sign the logs: it is no base of the platform, or an older one.`);
  return (JSON.parse(text) as { bases: LogBase[] }).bases;
}

/** Returns the base whose log has an address. */
export function baseAt(bases: readonly LogBase[], url: string): LogBase {
  const found = bases.find(({ address }) => address.startsWith(`${new URL(url).host}/`));
  if (!found)
    throw new Fault(`${url} is the address of no base. There are ${bases.map(({ address }) => address.split('/')[0]).join(', ')}.`);
  return found;
}

/** Reads the heads of a log that other bases hold, and refuses one that was not signed by a key of the base whose log it is. */
export async function mirroredHeads(of: LogBase, holders: readonly string[]): Promise<MirroredHeads> {
  const [heads, unreachable]: [MirroredHeads['heads'], string[]] = [[], []];
  for (const at of holders) {
    const notes = await notesAt(at, of.base);
    if (!notes) unreachable.push(at);
    for (const note of notes ?? []) {
      const head = await readLogHead(note, of.keys);
      if (!head) throw new Fault(`No key of ${of.base} signed the head that ${at} holds.`);
      heads.push({ head, at });
    }
  }
  return { heads, unreachable };
}

/** Returns the heads that a base holds of another one; undefined when it does not say. */
async function notesAt(url: string, base: string): Promise<string[] | undefined> {
  try {
    return (JSON.parse((await getFrom(url, `/.well-known/codase-log/mirrors/${base}`)).toString()) as { heads: string[] }).heads;
  } catch {
    return undefined;
  }
}
