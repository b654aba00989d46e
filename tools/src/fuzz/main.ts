import { randomInt } from 'node:crypto';
import { command, readArguments, readNumber } from '@codase/command-line';
import { fuzz, type FuzzResult } from '@codase/e2e';
import { optionsOf } from '../command/options-of.ts';
import { experiment } from '../command/run.ts';

const HELP = `npm run fuzz -- [--requests N] [--seed N]

Starts a front door, two regions and the forwarder, reads their OpenAPI document,
and sends requests to every operation in it: bodies that fit their schema, that
nearly fit it, and that are broken; other encodings, types, sizes and orders; ids
that earlier answers contained; requests that actors prepared, as they are and
bent; other ways to write a path; the right kind of caller, another one, or none.

Each answer is judged by the document: its status, its media type and its shape.
A 500, a fault that nobody foresaw, an answer that shows the inside of the platform
and no answer at all count as well. Prints how often each status was answered, the
operations that no request succeeded at with what they answered, and each kind of
fault with the first request that showed it; then one JSON line. Exit code 1 when
there was a fault.

  --requests N  how many requests; 100000 by default
  --seed N      chooses the requests; by lot when absent, and printed`;

const MAX_SEED = 2 ** 31;

await command(HELP, async (args) => {
  const { values } = readArguments(args, optionsOf(['requests', 'seed'], 'string'));
  const requests = readNumber('--requests', values.requests) ?? 100_000;
  const seed = readNumber('--seed', values.seed) ?? randomInt(MAX_SEED);
  return experiment(
    'fuzz',
    (given) => fuzz({ ...given, requests, seed }),
    (result) => ({ ok: result.faults.length === 0, lines: linesOf(result), json: result }),
  );
});

function linesOf({ requests, seconds, seed, operations, not_reached, statuses, renewals, faults }: FuzzResult): string[] {
  const each = Object.entries(statuses).map(([status, count]) => `${status === '0' ? 'none' : status} ${count}`);
  return [
    `${requests} requests in ${seconds} s to ${operations} operations, seed ${seed}`,
    `answers by status: ${each.join(', ')}`,
    `no request succeeded at ${Object.keys(not_reached).length} operations; callers signed up again ${renewals} times`,
    ...Object.entries(not_reached).map(
      ([name, answers]) =>
        `  ${name}: ${Object.entries(answers)
          .map((each) => each.join(' '))
          .join(', ')}`,
    ),
    ...faults.flatMap(({ operation, fault, times, request: { method, url, caller } }) => [
      `FAULT in ${operation}, ${times} times: ${fault}`,
      `  first by ${caller}: ${method} ${url}`,
    ]),
    faults.length === 0 ? 'no fault' : `${faults.length} kinds of faults`,
  ];
}
