import { REGIONS } from '@cds/stack';
import { runningStack } from '../start/running-stack.ts';
import { pepperOf, USER, type Env, type Reached } from './reached.ts';

/** The platform that npm start runs from its state folder. */
export function defaultStack(env: Env, root: string): Reached {
  const { nats, secrets } = runningStack({ ...env }, root, ', or set NATS_URL to the platform you mean');
  const pepper = () => pepperOf(secrets.known('client-secret-pepper'));
  return { nats: { url: nats.url, ...nats.credentials(USER) }, regions: REGIONS, pepper };
}
