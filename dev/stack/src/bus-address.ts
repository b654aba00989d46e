import { busPassword } from './bus-accounts.ts';
import { natsNodePorts, type Ports } from './layout.ts';
import type { Secrets } from './secrets.ts';

export interface Credentials {
  user?: string | undefined;
  password?: string | undefined;
}

export interface BusAddress {
  url: string;
  credentials(user: string): Credentials;
}

/** The bus that npm start runs, with one node or more. Every user has its own password. */
export const ownBus = (ports: Ports, secrets: Secrets, nodes = 1): BusAddress => ({
  url: natsNodePorts(ports, nodes)
    .map(({ clients }) => `nats://127.0.0.1:${clients}`)
    .join(','),
  credentials: (user) => ({ user, password: busPassword(secrets, user) }),
});

/** A bus that the caller provides. All services share the user in its URL. */
export function externalBus(natsUrl: string): BusAddress {
  const { protocol, host, username, password } = new URL(natsUrl);
  const shared = { user: decodeURIComponent(username) || undefined, password: decodeURIComponent(password) || undefined };
  return { url: `${protocol}//${host}`, credentials: () => shared };
}
