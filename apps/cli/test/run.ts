import { newSigningKey, VerificationProvider, type World } from '@codase/testing';
import { DATABASES, roleIn } from '@codase/stack';
import type { Read } from '../src/command.ts';
import { owned, type Installed } from '../src/databases/installed-databases.ts';
import type { Target } from '../src/target.ts';

/** A world in the form in which the commands find a stack. */
export const targetIn = (world: World, user = 'shop-backend'): Target => ({
  consumer: () => world.addressOf(user),
  gateway: () => world.gatewayHttp,
  operator: (plane) => world.addressOf(`${plane}-operator`),
  platformOperator: () => world.addressOf('platform-operator'),
  actors: async () => world,
  provider: async () => new VerificationProvider(world.frontDoorUrl, 'demo', newSigningKey('demo'), () => world.now),
  databases: () => databasesOf(world),
});

/** The databases that a world runs, each opened as its owner. */
const databasesOf = (world: World): Installed => ({
  adminUrl: process.env['CODASE_TEST_POSTGRES_URL']!,
  databases: DATABASES.map((name) => {
    const urls: { owner: string; delivery?: string } = world.databaseUrls[name];
    return owned(name.replace('_', '-'), { url: urls.owner }, urls.delivery === undefined ? undefined : roleIn(urls.delivery));
  }),
});

/** A command under way: what it printed so far, its notes, and its end. */
export interface Run {
  said: string[];
  results: Record<string, unknown>[];
  notes: string[];
  /** Resolves with the first note: from then on a listener receives what comes. */
  noted: Promise<void>;
  ended: Promise<number>;
  interrupt(): void;
}

/** Runs a command as its main would, on another stack. */
export function run(read: Read, words: string[], target: Target): Run {
  const stop = new AbortController();
  const { promise: noted, resolve } = Promise.withResolvers<void>();
  const seen: Pick<Run, 'said' | 'results' | 'notes'> = { said: [], results: [], notes: [] };
  const running = read(words)({
    target,
    signal: stop.signal,
    print: (said, result) => {
      seen.said.push(said);
      seen.results.push(result as Record<string, unknown>);
    },
    note: (line) => {
      seen.notes.push(line);
      resolve();
    },
  });
  const ended = running.then((code) => code ?? 0);
  return { ...seen, noted, ended, interrupt: () => stop.abort() };
}
