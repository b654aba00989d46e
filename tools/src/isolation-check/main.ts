import { command, readArguments } from '@codase/command-line';
import { printProblems } from '../command/results.ts';
import { isRootWith, untilInterrupted } from '../command/run.ts';
import { isolationCheck } from './isolation-check.ts';

const HELP = `npm run isolation-check   shows that the decryptor works with NATS and the collector alone

Starts a stack of npm start in a temporary folder, and a second decryptor in a network namespace that reaches the ports of NATS and of
the collector and has no route to anything else. Tries from inside to reach Postgres, the front door, the gateway, the internet and
the metadata of a cloud; then persons edit fields until this decryptor has opened values. Linux, as root, with ip (iproute2): says so
elsewhere. Exit code 1 when something is reached that must not be, or nothing is opened.`;

await command(HELP, async (args) => {
  readArguments(args, {});
  if (!(await isRootWith('ip', ['-V']))) {
    console.error('not checked: a network namespace is made by root on Linux, with ip of iproute2.');
    return 1;
  }
  return untilInterrupted(
    (signal) => isolationCheck(signal, (line) => console.error(line)),
    ({ attempts, opened, toCollector, problems }) => {
      for (const [name, how] of Object.entries(attempts)) console.log(`${name}: ${how}`);
      console.log(`values opened: ${opened}; connections to the collector: ${toCollector}`);
      return printProblems(problems, 'isolated');
    },
  );
});
