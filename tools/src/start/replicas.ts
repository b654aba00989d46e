import type { Target } from '@cds/stack/balancer';
import type { Unit } from './unit.ts';

/** The ports of the first replica, and of each further one, lie so far behind those that callers know. */
const PORTS_APART = 100;

/** Where a service answers: callers, where it has any, and probes. */
type Answers = Pick<Unit, 'port' | 'opsPort'>;

/** A port that callers know, and the replicas behind it. */
export interface Balanced {
  port: number;
  targets: readonly Target[];
}

/** So many of a unit. What names a replica in the environment, and its ports, differ; all else is shared. */
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

/** Where callers reach a unit of which there are several. */
export const balancedOf = ({ port, opsPort }: Target, replicas: number): Balanced => ({
  port,
  targets: numbers(replicas).map((number) => portsOf({ port, opsPort }, number) as Target),
});

/** The first replica keeps the name, and the port of probes that commands know. */
export const nameOf = (name: string, number: number): string => (number === 1 ? name : `${name}-${number}`);

export const portsOf = ({ port, opsPort }: Answers, number: number): Answers => ({
  port: port === undefined ? undefined : port + PORTS_APART * number,
  opsPort: opsPort + PORTS_APART * (number - 1),
});

/** From one to so many. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
