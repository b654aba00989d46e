import type { GatewayAddress } from '@cds/client';
import type { Plane } from '@cds/contracts';
import {
  DEMO,
  demoActors,
  gatewayToken,
  gatewayUrl,
  ROOT,
  runningStack,
  stateDirOf,
  type StackActors,
  type RunningStack,
} from '@cds/stack';
import { gatewayFrom, loginFrom, namesBus, type Login } from './bus.ts';
import { namedDatabases, namesDatabases, stackDatabases, type Installed } from './databases/installed.ts';

/** The stack or suite that a command works with, and as whom. */
export interface Target {
  /** An internal service, which receives its events and has its values opened. */
  consumer(): Login;
  /** The gateway's HTTP server, for long documents; undefined where nobody said where it is. */
  gateway(): GatewayAddress | undefined;
  /** The operator of a plane; undefined for a plane that cannot be reached from here. */
  operator(plane: Plane): Login | undefined;
  /** The operator of the platform, on the bus that is named or that of the stack. */
  platformOperator(): Login;
  /** The persons of the demo. */
  actors(): Promise<Pick<StackActors, 'person'>>;
  /** Its databases, each as its owner. */
  databases(): Installed;
}

/** The suite whose bus the environment names, otherwise the stack of npm start. */
export function targetOf(env: NodeJS.ProcessEnv): Target {
  const stack = (otherwise?: string) => runningStack({ stateDir: stateDirOf(env, ROOT) }, otherwise);
  const actors = async () => {
    const { ports, secrets } = stack();
    return demoActors(ports, secrets);
  };
  const databases = () =>
    namesDatabases(env) ? namedDatabases(env) : stackDatabases(stack(', or name databases by FRONT_DOOR_DATABASE_URL and the like'));
  return { actors, databases, ...(namesBus(env) ? namedSuite(env) : defaultStack(() => stack(', or set NATS_URL to the suite you mean'))) };
}

/** One user for everything: what it may not do, its bus refuses. */
const namedSuite = (env: NodeJS.ProcessEnv) => ({
  consumer: () => loginFrom(env, DEMO.consumer),
  gateway: () => gatewayFrom(env),
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
    gateway: () => {
      const { ports, secrets } = stack();
      return { url: gatewayUrl(ports), token: gatewayToken(secrets) };
    },
    operator: (plane: Plane) => login(`${plane}-operator`),
  };
};
