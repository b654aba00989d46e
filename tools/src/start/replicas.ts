import type { Target } from '@codase/stack/balancer';
import type { Unit } from './unit.ts';

/** The distance from the ports that callers know to those of the first replica, and from one replica's ports to the next's. */
const PORTS_APART = 100;

/** The ports of a service: for callers, if it has any, and for probes. */
type Answers = Pick<Unit, 'port' | 'opsPort'>;

/** A port that callers know, and the replicas behind it. */
export interface Balanced {
  port: number;
  targets: readonly Target[];
}

/** Returns so many replicas of a unit. They differ in their ports and in the variables that name a replica; all else is shared. */
export function replicasOf(unit: Unit, replicas: number): Unit[] {
  if (replicas === 1 || unit.shown) return [unit];
  return numbers(replicas).map((number) => replica(unit, number));
}

function replica(unit: Unit, number: number): Unit {
  const { port, opsPort } = portsOf(unit, number);
  return {
    ...unit,
    name: nameOf(unit.name, number),
    opsPort,
    ...(port !== undefined && { port, url: `http://127.0.0.1:${port}` }),
    env: {
      ...unit.env,
      OPS_PORT: String(opsPort),
      ...(port !== undefined && { PORT: String(port) }),
      ...(unit.env['REPLICA'] && { REPLICA: `${unit.name}-${number}` }),
    },
  };
}

/** The port at which callers reach a unit with several replicas, and the ports of the replicas. */
export const balancedOf = ({ port, opsPort }: Target, replicas: number): Balanced => ({
  port,
  targets: numbers(replicas).map((number) => portsOf({ port, opsPort }, number) as Target),
});

/** The name of a replica. The first replica keeps the unit's name, and the port of probes that commands know. */
export const nameOf = (name: string, number: number): string => (number === 1 ? name : `${name}-${number}`);

export const portsOf = ({ port, opsPort }: Answers, number: number): Answers => ({
  port: port === undefined ? undefined : port + PORTS_APART * number,
  opsPort: opsPort + PORTS_APART * (number - 1),
});

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
