import type { Surroundings } from './start.ts';

/** Loading this code takes half a second, which a start that is refused at once does not need. */
export const defaultStack = () => import('./default-stack.ts');

export const defaultSurroundings = (root: string): Surroundings => ({
  root,
  screen: process.stdout,
  wantedPorts: async (options) => (await defaultStack()).wantedPorts(options),
  describe: async (options) => (await defaultStack()).describe(options),
  removeElsewhere: async (options) => (await defaultStack()).removeElsewhere(options),
});
