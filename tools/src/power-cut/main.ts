import { powerCut } from '@codase/e2e';
import { command, readArguments, readNumber, UsageFault } from '@codase/command-line';
import { experiment } from '../command/run.ts';

const HELP = `npm run power-cut -- [--events N]

What a power cut takes from a stream: NATS runs on a disk of its own (a file with a
file system in it), events are published and acknowledged, and the disk is copied as
it would be found had the power gone at that moment. A new server reads the copy.
Once as the stack runs its streams, synced with every write, and once as the server
does by itself. Exit code 1 when the first lost anything. Linux, as root: it mounts.

  --events N   how many events are acknowledged before the cut (default 20000)`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { events: { type: 'string' } });
  const events = Math.ceil(readNumber('--events', values.events) ?? 20_000);
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new UsageFault('A disk is mounted for this: run it on Linux, as root.');
  return experiment(
    'power-cut',
    async ({ nats, signal }) => {
      const results: Awaited<ReturnType<typeof powerCut>>[] = [];
      for (const synced of ['every write', 'now and then'] as const) {
        signal.throwIfAborted();
        console.error(`synced ${synced}: publishing ${events} events`);
        const result = await powerCut(nats, synced, events);
        console.log(`nats-server ${result.server}, synced ${synced}: acknowledged ${result.acknowledged}, lost ${result.lost}`);
        results.push(result);
      }
      return results;
    },
    (results) => ({ ok: results[0]!.lost === 0, lines: [], json: { power_cut: results } }),
  );
});
