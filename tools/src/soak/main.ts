import { join } from 'node:path';
import { consumersSoak, isClean, platformSoak, suiteSoak, twofaSoak, type SoakOptions, type SoakResult } from '@cds/e2e';
import { findNatsServer } from '@cds/servers';
import { command, INTERRUPTED, interruption, readArguments, readNumber, UsageFault } from '@cds/command-line';
import { ROOT } from '../command/root.ts';

const HELP = `npm run soak -- [NAME…] [--events N] [--kills N] [--minutes M]

Faults under load: things happen while processes are killed or hang, and NATS and
Postgres are killed and come back.

  consumers    events to durable consumers that note each in an inbox
  platform     edits of people to the pull feed and to webhooks, while readers cut
               their connections, drains are sent HEAD and OPTIONS, and companies
               move to another region and back
  suite        events through gateway, feed consumer, decryptor and handlers
  twofa        logins that persons approve, deny or leave, while twofa, the gateway and
               both regions are killed: lost is an asker left waiting, duplicated a second
               or another outcome, wrong a yes that nobody gave

Without a name, one after the other. For each: kills, events, lost, duplicated and
disordered, then one JSON line. Exit code 1 when anything was lost, came twice where
it must not, or came late.

  --events N   load goes on until there were this many events …
  --kills N    … and this many faults; with 0 nothing is killed, and no webhook may
               get an event twice
  --minutes M  or for so long, whatever happens`;

type Soak = { run(options: SoakOptions): Promise<SoakResult>; events: number; kills: number };

const SOAKS: Record<string, Soak> = {
  consumers: { run: consumersSoak, events: 5000, kills: 40 },
  platform: { run: platformSoak, events: 1500, kills: 30 },
  suite: { run: suiteSoak, events: 10_000, kills: 30 },
  twofa: { run: twofaSoak, events: 1000, kills: 60 },
};

await command(HELP, async (args) => {
  const text = { type: 'string' } as const;
  const { values, positionals } = readArguments(args, { events: text, kills: text, minutes: text });
  const unknown = positionals.filter((name) => !Object.hasOwn(SOAKS, name));
  if (unknown.length) throw new UsageFault(`There is no soak '${unknown.join("', '")}': there are ${Object.keys(SOAKS).join(', ')}.`);
  const [events, minutes] = (['events', 'minutes'] as const).map((name) => readNumber(`--${name}`, values[name]));
  const kills = readNumber('--kills', values.kills, { mayBeZero: true });
  const nats = await findNatsServer({ cacheDir: join(ROOT, '.cache/nats') });
  const signal = interruption();
  let isAllClean = true;
  for (const name of positionals.length ? positionals : Object.keys(SOAKS)) {
    const { run, ...usual } = SOAKS[name]!;
    const progress = (line: string) => console.error(`${name}: ${line}`);
    const options = { nats, events: events ?? usual.events, kills: kills ?? usual.kills, minutes, signal, progress };
    const result = await run(options).catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error)));
    if (!result) return INTERRUPTED;
    isAllClean &&= isClean(result);
    report(name, result);
  }
  return isAllClean ? 0 : 1;
});

function report(name: string, result: SoakResult): void {
  const { kills, events, lost, duplicated, disordered, seconds, ...rest } = result;
  const also = Object.entries(rest)
    .map(([what, count]) => `, ${what} ${count}`)
    .join('');
  const main = `kills ${kills}, events ${events}, lost ${lost}, duplicated ${duplicated}, disordered ${disordered}`;
  console.log(`${name}: ${main}${also}, in ${seconds} s`);
  console.log(JSON.stringify({ soak: name, ...result, ok: isClean(result) }));
}
