import { exitCodeOf } from '../command/results.ts';
import { HELP, readOptions } from './options.ts';
import { start, type Surroundings } from './start.ts';

/** The whole command: reads the options, runs the stack, prints faults as sentences, and returns the exit code. */
export const npmStart = (args: string[], env: NodeJS.ProcessEnv, surroundings: Surroundings): Promise<number> =>
  exitCodeOf(async () => {
    const options = readOptions(args, env, surroundings.root);
    if (options.help) surroundings.screen.write(`${HELP}\n`);
    else await start(options, surroundings);
  });
