import type { VerificationProvider } from '@codase/actors';
import type { GatewayAddress } from '@codase/client';
import type { Plane } from '@codase/contracts';
import {
  DEMO,
  demoActors,
  demoProvider,
  gatewayToken,
  gatewayUrl,
  ROOT,
  runningStack,
  stateDirOf,
  type StackActors,
  type RunningStack,
} from '@codase/stack';
import { gatewayFrom, loginFrom, namesBus, type Login } from './bus.ts';
import { namedDatabases, namesDatabases, stackDatabases, type Installed } from './databases/installed-databases.ts';

/** The stack or suite that a command works with, and the logins for it. */
export interface Target {
  /** The login of an internal service, which receives events and may have values opened. */
  consumer(): Login;
  /** The gateway's HTTP server, for long documents. Undefined when its address is not given. */
  gateway(): GatewayAddress | undefined;
  /** The login of the operator of a plane. Undefined for a plane that cannot be reached from here. */
  operator(plane: Plane): Login | undefined;
  /** The login of the platform's operator, on the bus that the environment names or on that of the stack. */
  platformOperator(): Login;
  actors(): Promise<Pick<StackActors, 'person'>>;
  /** The verification provider of the demo. */
  provider(): Promise<VerificationProvider>;
  /** The databases, each with the login of its owner. */
  databases(): Installed;
}

/** Returns the suite whose bus the environment names, or else the stack of npm start. */
export function targetOf(env: NodeJS.ProcessEnv): Target {
  const stack = (otherwise?: string) => runningStack({ stateDir: stateDirOf(env, ROOT) }, otherwise);
  const actors = async () => {
    const { ports, secrets } = stack();
    return demoActors(ports, secrets);
  };
  const provider = async () => {
    const { ports, secrets } = stack();
    return demoProvider(ports, secrets);
  };
  const databases = () =>
    namesDatabases(env) ? namedDatabases(env) : stackDatabases(stack(', or name databases by FRONT_DOOR_DATABASE_URL and the like'));
  return {
    actors,
    provider,
    databases,
    ...(namesBus(env) ? namedSuite(env) : defaultStack(() => stack(', or set NATS_URL to the suite you mean'))),
  };
}

/** A suite that the environment names has one user for everything. The bus refuses what this user may not do. */
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
