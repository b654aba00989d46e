import { DEMO, demoCast, type Cast } from '@cds/stack';
import { loginFrom, namesBus, type Login } from '../command/nats.ts';
import { runningStack, type RunningStack } from '../start/running-stack.ts';

export type Plane = 'platform' | 'suite';

/** Where a command looks, and who it may be there. */
export interface Place {
  /** An internal service, which hears its events and has its values opened. */
  consumer(): Login;
  /** Who may ask everything of a plane; undefined for a plane that cannot be reached from here. */
  operator(plane: Plane): Login | undefined;
  /** The persons of the demo. */
  cast(): Promise<Pick<Cast, 'person'>>;
}

/** The suite whose bus the environment names, otherwise the stack of npm start. */
export function placeOf(env: NodeJS.ProcessEnv, root: string): Place {
  const cast = async () => {
    const { ports, secrets } = defaultStack(env, root);
    return demoCast(ports, secrets);
  };
  return { cast, ...(namesBus(env) ? elsewhere(env) : here(() => defaultStack(env, root, ', or set NATS_URL to the suite you mean'))) };
}

/** One user for everything: what it may not do, its bus refuses. */
const elsewhere = (env: NodeJS.ProcessEnv) => ({
  consumer: () => loginFrom(env, DEMO.consumer),
  operator: (plane: Plane) => (plane === 'suite' ? loginFrom(env, 'suite-operator') : undefined),
});

const here = (stack: () => RunningStack) => {
  const as = (user: string): Login => {
    const { url, credentials } = stack().nats;
    return { url, ...credentials(user) };
  };
  return { consumer: () => as(DEMO.consumer), operator: (plane: Plane) => as(`${plane}-operator`) };
};

/** Servers that the environment names are no concern of a person who signs in over HTTP. */
const defaultStack = (env: NodeJS.ProcessEnv, root: string, otherwise?: string): RunningStack =>
  runningStack({ ...env, NATS_URL: undefined, DATABASE_URL: undefined }, root, otherwise);
