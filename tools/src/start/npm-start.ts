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

/** Loading this code takes half a second, which a start that is refused at once does not need. */
export const defaultStack = () => import('./default-stack.ts');

export const defaultSurroundings = (root: string): Surroundings => ({
  root,
  screen: process.stdout,
  wantedPorts: async (options) => (await defaultStack()).wantedPorts(options),
  describe: async (options) => (await defaultStack()).describe(options),
  removeElsewhere: async (options) => (await defaultStack()).removeElsewhere(options),
});
