import { portsFrom, REGIONS, Secrets } from '@cds/testing/stack';
import { join } from 'node:path';
import { Fault } from '../start/fault.ts';
import { holderOf } from '../start/lock.ts';
import { readOptions } from '../start/options.ts';
import { ownServers } from '../start/servers.ts';
import { lockOf } from '../start/state-folder.ts';
import { pepperOf, USER, type Env, type Reached } from './reached.ts';

/** The platform that npm start runs from its state folder. */
export function defaultStack(env: Env, root: string): Reached {
  const options = readOptions([], { ...env }, root);
  const running = holderOf(lockOf(options.stateDir));
  if (!running) throw new Fault(`Nothing runs from ${options.stateDir}: start it with npm start in another terminal, or set NATS_URL to the platform you mean.`);
  const secrets = new Secrets(join(options.stateDir, 'secrets'));
  const { url, credentials } = ownServers(options, portsFrom(running.port_base), secrets).nats;
  return { nats: { url, ...credentials(USER) }, regions: REGIONS, pepper: () => pepperOf(secrets.known('client-secret-pepper')) };
}
