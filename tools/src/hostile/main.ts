import { join } from 'node:path';
import { command, INTERRUPTED, interruption, readArguments, readNumber } from '@cds/command-line';
import { faultsOf, hostile, type HostileResult } from '@cds/e2e';
import { findNatsServer } from '@cds/servers';
import { ROOT } from '../command/root.ts';

const HELP = `npm run hostile -- [--minutes N] [--strength F]

Strangers attack a whole stack from many addresses while good callers work: long
bodies without a token, half requests, slow bodies, bad tokens, wrong secrets and
passwords, answers that nobody reads, pipelining, huge headers, and bytes that
are no JSON, XML, form or HTTP; at the front door, a region, the gateway, the
port of webhooks and those of probes.

Prints the memory of each process before and at its peak, the p50 and p99 of good
callers before and during, and how often each status was answered; then one JSON
line. Strangers run at the lowest priority, so that good callers wait for the
server and not for the strangers' own work. Exit code 1 when a process grew by more than it may, a good call failed, the
p99 is more than 3 times what it was, or anything was answered with 500.

  --minutes N   how long strangers attack; 2 by default
  --strength F  how many there are, as a part or a multiple of some 1,000; 1 by default`;

await command(HELP, async (args) => {
  const text = { type: 'string' } as const;
  const { values } = readArguments(args, { minutes: text, strength: text });
  const minutes = readNumber('--minutes', values.minutes) ?? 2;
  const strength = readNumber('--strength', values.strength) ?? 1;
  const nats = await findNatsServer({ cacheDir: join(ROOT, '.cache/nats') });
  const signal = interruption();
  const progress = (line: string) => console.error(`hostile: ${line}`);
  const running = hostile({ nats, seconds: minutes * 60, strength, signal, progress });
  const result = await running.catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error)));
  if (!result) return INTERRUPTED;
  const { always, slower } = faultsOf(result);
  report(result, [...always, ...slower]);
  return always.length + slower.length === 0 ? 0 : 1;
});

function report(result: HostileResult, faults: readonly string[]): void {
  const { memory, before, during, tried, statuses, failed } = result;
  for (const [name, { before_mb, peak_mb }] of Object.entries(memory))
    console.log(`${name}: ${before_mb} MB before, ${peak_mb} MB at its peak`);
  for (const [when, { calls, p50_ms, p99_ms }] of Object.entries({ before, during }))
    console.log(`good callers ${when}: ${calls} calls, p50 ${p50_ms} ms, p99 ${p99_ms} ms`);
  console.log(
    `strangers, at the lowest priority: ${tried} connections; answers by status: ${JSON.stringify(statuses)}; ` +
      `failed good calls: ${JSON.stringify(failed)}`,
  );
  for (const fault of faults) console.log(`NOT GOOD: ${fault}`);
  console.log(JSON.stringify({ ...result, ok: faults.length === 0 }));
}
