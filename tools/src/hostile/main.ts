import { command, readArguments, readNumber } from '@codase/command-line';
import { faultsOf, hostile, type HostileResult } from '@codase/e2e';
import { optionsOf } from '../command/options-of.ts';
import { experiment } from '../command/run.ts';

const HELP = `npm run hostile -- [--minutes N] [--strength F]

Strangers attack a whole stack from many addresses while good callers work: long
bodies without a token, half requests, slow bodies, bad tokens, wrong secrets and
passwords, answers that nobody reads, pipelining, huge headers, and bytes that
are no JSON, XML, form or HTTP; at the front door, a region, the gateway, the
port of webhooks and those of probes. A company with a token sends long documents
that never end, more and more at once, or byte by byte.

Good callers work at a fixed rate in three phases: alone; while the same strangers
attack an idle server of Node on this machine, which shows what the machine lacks
for both; and while they attack the stack. Prints the p50 and p99 of each, the
memory of each process before and at its peak, and how often each status was
answered; then one JSON line. Exit code 1 when a process grew by more than 300 MB,
a good call failed, the p99 is more than 3 times the slower of the two phases
before, half a request was kept open for more than 15 s, or anything was answered with 500.

  --minutes N   how long strangers attack; 2 by default
  --strength F  how many there are, as a part or a multiple of some 160 connections a second;
                1 by default`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, optionsOf(['minutes', 'strength'], 'string'));
  const minutes = readNumber('--minutes', values.minutes) ?? 2;
  const strength = readNumber('--strength', values.strength) ?? 1;
  return experiment(
    'hostile',
    (given) => hostile({ ...given, seconds: minutes * 60, strength, measuresMachine: true }),
    (result) => {
      const { always, slower } = faultsOf(result);
      const faults = [...always, ...slower].map((fault) => `NOT GOOD: ${fault}`);
      return { ok: faults.length === 0, lines: [...linesOf(result), ...faults], json: result };
    },
  );
});

function linesOf({ memory, before, machine, during, strangers, failed }: HostileResult): string[] {
  const phases = { 'nobody attacks': before, 'strangers attack an idle server': machine, 'strangers attack the stack': during };
  const over = [before, machine].map((phase) => (phase ? (during.p99_ms / phase.p99_ms).toFixed(1) : '-'));
  const { tried, left_out, longest_half_ms, statuses } = strangers;
  return [
    ...Object.entries(memory).map(([name, { before_mb, peak_mb }]) => `${name}: ${before_mb} MB before, ${peak_mb} MB at its peak`),
    ...Object.entries(phases).flatMap(([when, phase]) => (phase ? [`good callers, ${when}: ${inWords(phase)}`] : [])),
    `p99 while attacked, over nobody attacks: ${over[0]}; over an idle server attacked: ${over[1]}`,
    `strangers: ${tried} connections, ${left_out} left out; half a request kept open for at most ${longest_half_ms} ms`,
    `answers by status: ${JSON.stringify(statuses)}; failed good calls: ${JSON.stringify(failed)}`,
  ];
}

function inWords({ calls, p50_ms, p99_ms, p99_ms_of }: HostileResult['before']): string {
  const each = Object.entries(p99_ms_of).map(([name, ms]) => `${name} ${ms}`);
  return `${calls} calls, p50 ${p50_ms} ms, p99 ${p99_ms} ms (${each.join(', ')})`;
}
