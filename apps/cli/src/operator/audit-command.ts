import { AUDIT_PAGE, OPERATOR, READ_REGION_AUDIT, type AuditPage, type AuditQuery } from '@codase/contracts';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { asFault, Fault, UsageFault } from '@codase/command-line';
import { poll, repeat } from '@codase/runtime/resilience';
import { readTime, TEXT } from '../command.ts';
import { operatorCommand } from './operator-command.ts';
import type { Platform } from './platform.ts';

const FRONT_DOOR = 'front-door';
const FOLLOW_MS = 1000;
/** How long a single export waits for rows that an open transaction holds back: longer than the platform's own transactions take. */
const WAIT = { everyMs: 500, withinMs: 60_000 };
const MORE = { region: { ...TEXT, multiple: true }, follow: { type: 'boolean' } } as const;

/** The position up to which each base was read. */
type Cursors = Record<string, string | null>;

/** For each base whose rows wait for an open transaction: up to which row it is exported. */
type Waiting = Readonly<Record<string, string | undefined>>;

/** Prints the audit, with one page in memory at a time. With a cursor file it continues where it stopped, so that no row is left out. */
export const audit = operatorCommand(
  {
    usage: 'audit export [--from TIME] [--to TIME] [--account USER] [--region REGION]… [--format jsonl] [--follow] [--cursor FILE]',
    what:
      'who did what at the front door and in the regions (those of npm start unless named), as a line of JSON for each act; ' +
      '--follow goes on, and --cursor keeps in FILE how far it was read',
    options: { from: TEXT, to: TEXT, account: TEXT, format: TEXT, cursor: TEXT, ...MORE },
  },
  (values, what) => {
    if (what !== 'export') throw new UsageFault(`It is: ${audit.usage}.`);
    if ((values.format ?? 'jsonl') !== 'jsonl') throw new UsageFault(`A format is jsonl, not '${values.format}'.`);
    const now = new Date();
    const time = (name: 'from' | 'to') => values[name] && readTime(`--${name}`, values[name], now).toISOString();
    const [from, to, account_id] = [time('from'), time('to'), values.account];
    const filter = { ...(from && { from }), ...(to && { to }), ...(account_id && { account_id }) };
    return async (platform) => {
      const regions = values.region ?? platform.regions;
      if (regions.length === 0) throw new UsageFault('Name the regions, as in: audit export --region eu --region us.');
      const cursors = readCursors(values.cursor);
      let rows = 0;
      const first: Waiting = Object.fromEntries([FRONT_DOOR, ...regions].map((base) => [base, undefined]));
      /** Exports what there is of some bases. Returns those of which rows have to be waited for. */
      const round = async (wanted: Waiting) => {
        const waiting: Record<string, string | undefined> = {};
        for (const [base, until] of Object.entries(wanted)) {
          const exported = await exportBase(platform, base, { ...filter, ...(until !== undefined && { until }) }, cursors, values.cursor);
          rows += exported.rows;
          if (exported.waits) waiting[base] = exported.newest;
        }
        return waiting;
      };
      if (values.follow) await follow(() => round(first));
      else await exportOnce(round, first);
      return { result: { rows }, said: '' };
    };
  },
);

/** Exports all rows that there are now. Says it when an open transaction, also of another database, holds newer rows back. */
async function exportOnce(round: (wanted: Waiting) => Promise<Waiting>, first: Waiting): Promise<void> {
  let waiting = first;
  const isComplete = async () => {
    waiting = await round(waiting);
    return Object.keys(waiting).length === 0 ? true : undefined;
  };
  if (await poll(isComplete, WAIT)) return;
  console.error(
    `The newest rows of ${Object.keys(waiting).join(', ')} are left out: a transaction on the database server has been open for long. ` +
      'End it, and export again: with --cursor only what is left out comes.',
  );
}

/** Repeats the export until it is interrupted, also when the platform does not answer for a while. */
async function follow(round: () => Promise<unknown>): Promise<void> {
  const following = repeat(async () => void (await round()), {
    name: 'audit_export',
    pauseMs: FOLLOW_MS,
    onFailure: (error) => console.error(asFault(error).message),
  });
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await following.stop();
}

async function exportBase(platform: Platform, base: string, filter: AuditQuery, cursors: Cursors, file: string | undefined) {
  for (let rows = 0; ;) {
    const after = cursors[base] ?? undefined;
    const {
      items,
      cursor,
      more = items.length === AUDIT_PAGE,
      waits = false,
      newest,
    } = await ask(platform, base, { ...filter, ...(after !== undefined && { after }) });
    await print(items.map((item) => `${JSON.stringify({ base, ...item })}\n`).join(''));
    cursors[base] = cursor;
    if (file !== undefined && items.length > 0) writeCursors(file, cursors);
    rows += items.length;
    if (!more) return { rows, waits, newest };
  }
}

const ask = ({ bus }: Platform, base: string, query: AuditQuery): Promise<AuditPage> =>
  base === FRONT_DOOR
    ? bus.request(OPERATOR.readAudit, {}, query, { timeout: 35_000 })
    : bus.request(READ_REGION_AUDIT, { region: base }, query, { timeout: 35_000 });

/** Prints text and waits until the reader has taken it: only then may the cursor move past it. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    if (text === '') return resolve();
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

function readCursors(file: string | undefined): Cursors {
  if (file === undefined || !existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Cursors;
  } catch (cause) {
    throw new Fault(`${file} holds no cursors: name the file of an earlier export, or one that is not there yet.`, { cause });
  }
}

/** Writes the file completely or not at all, also in a crash. */
function writeCursors(file: string, cursors: Cursors): void {
  writeFileSync(`${file}.new`, JSON.stringify(cursors));
  renameSync(`${file}.new`, file);
}
