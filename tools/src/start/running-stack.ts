import { portsFrom, Secrets, type Planes, type Ports } from '@cds/stack';
import { join } from 'node:path';
import { Fault } from './fault.ts';
import { holderOf } from './lock.ts';
import { readOptions, type Options } from './options.ts';
import { externalServers, ownServers } from './servers.ts';
import { lockOf } from './state-folder.ts';

/** The stack that npm start runs from its state folder, as a command beside it finds it. */
export interface RunningStack {
  options: Options;
  ports: Ports;
  secrets: Secrets;
  nats: Planes['nats'];
}

/** Throws a Fault when nothing runs there; `otherwise` is what else the caller could do than start it. */
export function runningStack(env: NodeJS.ProcessEnv, root: string, otherwise = ''): RunningStack {
  const options = readOptions([], env, root);
  const holder = holderOf(lockOf(options.stateDir));
  if (!holder) {
    throw new Fault(`Nothing runs from ${options.stateDir}: start it with npm start in another terminal${otherwise}, then try again.`);
  }
  const ports = portsFrom(holder.port_base);
  const secrets = new Secrets(join(options.stateDir, 'secrets'));
  const { nats } = options.external ? externalServers(options.external) : ownServers(options, ports, secrets);
  return { options, ports, secrets, nats };
}
