import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The databases of the default stack. Each has an owner role for migrations and an app role for rows. */
export const DATABASES = ['front_door', 'region_eu', 'region_us', 'feed_consumer', 'flows', 'twofa'] as const;
export type DatabaseName = (typeof DATABASES)[number];

export const REGIONS = ['eu', 'us'] as const;
export type RegionName = (typeof REGIONS)[number];

/** The processes of the default stack, in the order they start. Each has a port for probes; some serve callers. */
export const UNIT_NAMES = [
  'front-door',
  'region-eu',
  'region-us',
  'delivery',
  'forwarder',
  'gateway',
  'feed-consumer',
  'decryptor',
  'flows',
  'twofa',
] as const;
export type UnitName = (typeof UNIT_NAMES)[number];

/** How many processes and nodes run. */
export interface Scale {
  /** Processes of each service. */
  replicas: number;
  /** Nodes of the NATS cluster. */
  nats: number;
}

export const ONE_OF_EACH: Scale = { replicas: 1, nats: 1 };

export interface Ports {
  postgres: number;
  nats: number;
  traces: number;
  /** The board, a page that shows the state of the stack. */
  board: number;
  serving: Record<'front-door' | 'region-eu' | 'region-us' | 'feed-consumer' | 'gateway' | 'forwarder', number>;
  /** Ports for probes and metrics. */
  ops: Record<UnitName, number>;
  example: number;
}

/** Assigns ports that are easy to remember: callers' ports first, servers behind them at 30, the example at 40, probes at 50. */
export function portsFrom(base: number): Ports {
  return {
    serving: {
      'front-door': base,
      'region-eu': base + 1,
      'region-us': base + 2,
      'feed-consumer': base + 3,
      gateway: base + 4,
      forwarder: base + 5,
    },
    traces: base + 18,
    board: base + 19,
    postgres: base + 32,
    nats: base + 22,
    example: base + 40,
    ops: Object.fromEntries(UNIT_NAMES.map((name, i) => [name, base + 50 + i])) as Record<UnitName, number>,
  };
}

/** Returns the ports of each NATS node: one for clients and one for the other nodes. */
export const natsNodePorts = ({ nats }: Ports, nodes: number): { clients: number; routes: number }[] =>
  Array.from({ length: nodes }, (_, i) => ({ clients: nats + i, routes: nats + 3 + i }));

const ENTRIES: Record<UnitName, string> = {
  'front-door': '@codase/platform',
  'region-eu': '@codase/platform',
  'region-us': '@codase/platform',
  delivery: '@codase/platform',
  forwarder: '@codase/platform',
  gateway: '@codase/gateway',
  'feed-consumer': '@codase/feed-consumer',
  decryptor: '@codase/decryptor',
  flows: '@codase/flows',
  twofa: '@codase/twofa',
};

/** The workspace's root, found from this file in src, in dist or in a bundle. */
export const ROOT = `${rootAbove(dirname(fileURLToPath(import.meta.url)))}/`;

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'nx.json'))) return folder;
  if (folder === dirname(folder)) throw new Error('The files of the stack lie outside the workspace: no folder above them has an nx.json.');
  return rootAbove(dirname(folder));
}

/** Returns the file that runs a unit: its app bundled with all its imports by `tools/bundle.mjs`. */
export const entryOf = (name: UnitName): string => `${ROOT}bundle/${ENTRIES[name].slice('@codase/'.length)}.mjs`;

/** The module that is loaded before the entry, so that libraries are instrumented. It shares its modules with the entries beside it. */
export const TELEMETRY = `${ROOT}bundle/telemetry.mjs`;
