import type { Plane } from '@cds/contracts';
import { DEMO, demoActors, ROOT, runningStack, stateDirOf, type StackActors, type RunningStack } from '@cds/stack';
import { loginFrom, namesBus, type Login } from './bus.ts';

/** The stack or suite that a command works with, and as whom. */
export interface Target {
  /** An internal service, which receives its events and has its values opened. */
  consumer(): Login;
  /** The operator of a plane; undefined for a plane that cannot be reached from here. */
  operator(plane: Plane): Login | undefined;
  /** The operator of the platform, on the bus that is named or that of the stack. */
  platformOperator(): Login;
  /** The persons of the demo. */
  actors(): Promise<Pick<StackActors, 'person'>>;
}

/** The suite whose bus the environment names, otherwise the stack of npm start. */
export function targetOf(env: NodeJS.ProcessEnv): Target {
  const stack = (otherwise?: string) => runningStack({ stateDir: stateDirOf(env, ROOT) }, otherwise);
  const actors = async () => {
    const { ports, secrets } = stack();
    return demoActors(ports, secrets);
  };
  return { actors, ...(namesBus(env) ? namedSuite(env) : defaultStack(() => stack(', or set NATS_URL to the suite you mean'))) };
}

/** One user for everything: what it may not do, its bus refuses. */
const namedSuite = (env: NodeJS.ProcessEnv) => ({
  consumer: () => loginFrom(env, DEMO.consumer),
  platformOperator: () => loginFrom(env, 'platform-operator'),
  operator: (plane: Plane) => (plane === 'suite' ? loginFrom(env, 'suite-operator') : undefined),
});

const defaultStack = (stack: () => RunningStack) => {
  const login = (user: string): Login => {
    const { url, credentials } = stack().nats;
    return { url, ...credentials(user) };
  };
  return {
    platformOperator: () => login('platform-operator'),
    consumer: () => login(DEMO.consumer),
    operator: (plane: Plane) => login(`${plane}-operator`),
  };
};
