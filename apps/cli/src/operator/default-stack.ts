import { keyFilesIn, REGIONS, ROOT, runningStack, stateDirOf } from '@codase/stack';
import { USER, type Env, type PlatformAccess } from './platform-access.ts';

/** Returns the access to the platform that npm start runs from its state folder. */
export function defaultStack(env: Env): PlatformAccess {
  const { nats, secrets, scale } = runningStack({ stateDir: stateDirOf(env, ROOT) }, ', or set NATS_URL to the platform you mean');
  const access = { url: nats.url, ...nats.credentials(USER) };
  return { nats: access, regions: REGIONS, keyFiles: keyFilesIn(secrets), replicas: { all: scale.replicas } };
}
