import { busPassword } from './bus-accounts.ts';
import { natsNodePorts, type Ports } from './layout.ts';
import type { Secrets } from './secrets.ts';

export interface Credentials {
  user?: string | undefined;
  password?: string | undefined;
}

/** Where a bus is, and as whom each user of ours logs in there. */
export interface BusAddress {
  url: string;
  credentials(user: string): Credentials;
}

/** The bus that npm start runs, of one node or more: every user has a password of its own. */
export const ownBus = (ports: Ports, secrets: Secrets, nodes = 1): BusAddress => ({
  url: natsNodePorts(ports, nodes)
    .map(({ clients }) => `nats://127.0.0.1:${clients}`)
    .join(','),
  credentials: (user) => ({ user, password: busPassword(secrets, user) }),
});

/** A bus of the caller's: all services share the user that its URL names. */
export function externalBus(natsUrl: string): BusAddress {
  const { protocol, host, username, password } = new URL(natsUrl);
  const shared = { user: decodeURIComponent(username) || undefined, password: decodeURIComponent(password) || undefined };
  return { url: `${protocol}//${host}`, credentials: () => shared };
}
