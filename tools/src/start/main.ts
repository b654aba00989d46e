import { ROOT } from '../command/root.ts';
import { npmStart } from './npm-start.ts';
import type { Surroundings } from './start.ts';

// A closed terminal must not end this process before everything is stopped.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** Loading this code takes half a second, which a start that is refused at once does not need. */
const defaultStack = () => import('./default-stack.ts');
const surroundings: Surroundings = {
  root: ROOT,
  screen: process.stdout,
  wantedPorts: async (options) => (await defaultStack()).wantedPorts(options),
  describe: async (options) => (await defaultStack()).describe(options),
  removeElsewhere: async (options) => (await defaultStack()).removeElsewhere(options),
};

// Work that an interruption has cut short is not waited for.
process.exit(await npmStart(process.argv.slice(2), process.env, surroundings));
