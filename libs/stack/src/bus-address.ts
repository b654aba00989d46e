import { busPassword } from './bus-accounts.ts';
import type { Ports } from './layout.ts';
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

/** The bus that npm start runs: every user has a password of its own. */
export const ownBus = (ports: Ports, secrets: Secrets): BusAddress => ({
  url: `nats://127.0.0.1:${ports.nats}`,
  credentials: (user) => ({ user, password: busPassword(secrets, user) }),
});

/** A bus of the caller's: all services share the user that its URL names. */
export function externalBus(natsUrl: string): BusAddress {
  const { protocol, host, username, password } = new URL(natsUrl);
  const shared = { user: decodeURIComponent(username) || undefined, password: decodeURIComponent(password) || undefined };
  return { url: `${protocol}//${host}`, credentials: () => shared };
}
