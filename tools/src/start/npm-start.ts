import { Fault } from '@codase/command-line';
import { HELP, readOptions } from './options.ts';
import { start, type Surroundings } from './start.ts';

/** The whole command: reads the options, runs the stack, prints faults as sentences, and returns the exit code. */
export async function npmStart(args: string[], env: NodeJS.ProcessEnv, surroundings: Surroundings): Promise<number> {
  try {
    const options = readOptions(args, env, surroundings.root);
    if (options.help) surroundings.screen.write(`${HELP}\n`);
    else await start(options, surroundings);
    return 0;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
}
