import { join } from 'node:path';
import { Fault } from '@codase/command-line';
import { externalBus, ownBus, type BusAddress } from './bus-address.ts';
import { portsFrom, type Ports, type Scale } from './layout.ts';
import { holderOf, lockOf } from './state-lock.ts';
import { Secrets } from './secrets.ts';

/** The stack that npm start runs from its state folder, as other commands find it. */
export interface RunningStack {
  ports: Ports;
  secrets: Secrets;
  nats: BusAddress;
  scale: Scale;
}

interface StackLocation {
  stateDir: string;
  /** The bus address that npm start was given. When absent, the bus that npm start runs itself. */
  natsUrl?: string | undefined;
}

/** Finds the running stack. Throws a Fault when nothing runs there. `otherwise` is what the caller could do instead of starting it. */
export function runningStack({ stateDir, natsUrl }: StackLocation, otherwise = ''): RunningStack {
  const holder = holderOf(lockOf(stateDir));
  if (!holder) {
    throw new Fault(`Nothing runs from ${stateDir}: start it with npm start in another terminal${otherwise}, then try again.`);
  }
  const ports = portsFrom(holder.port_base);
  const secrets = new Secrets(join(stateDir, 'secrets'));
  const nats = natsUrl === undefined ? ownBus(ports, secrets, holder.scale.nats) : externalBus(natsUrl);
  return { ports, secrets, nats, scale: holder.scale };
}
