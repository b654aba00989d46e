import {
  AuthorizationError,
  connect,
  UserAuthenticationExpiredError,
  usernamePasswordAuthenticator,
  type ConnectionOptions,
  type NatsConnection,
} from '@nats-io/transport-node';
import { currentText, withLiveMembers, type LiveText } from '../live-text.ts';
import { backoffMs } from '../resilience/backoff.ts';
import { callFailure, isTransient } from '../resilience/is-transient.ts';
import { retryConnect } from '../resilience/retry-connect.ts';
import { OperatorFault } from '../operator-fault.ts';
import { tlsFault } from '../tls-fault.ts';
import { inboxOf } from './inbox.ts';

export interface BusTls {
  /** The certificate authority of the server, as PEM; when absent, the authorities that Node trusts. */
  ca?: LiveText;
  /** The certificate and the key that this client proves itself with, as PEM. */
  cert?: LiveText;
  key?: LiveText;
  /** When TLS begins; `first` when absent: nothing is read or written before TLS stands. */
  handshake?: 'first' | 'after-info' | undefined;
}

export interface BusAddress {
  /** One server, or those of a cluster, separated by commas: any of them that answers is enough. */
  url: string;
  user?: string | undefined;
  /** A function is called at each connect, so that a password can be replaced without a restart. */
  password?: LiveText;
  /** Used for an address that begins with tls:. Nothing is ever sent to such an address in clear text. */
  tls?: BusTls | undefined;
  /** The name of this client in the server's connection list. */
  name: string;
}

/** Refusals of user and password since the last connect: the more there are, the longer the pause before the next try. */
export interface Refusals {
  count: number;
}

/** Reconnects for as long as it takes. A password that is refused may be right in a moment: a server can restart while passwords change. */
const FAITHFUL = { maxReconnectAttempts: -1 };
const RECONNECT = { firstMs: 250, longestMs: 500, jitter: 1 };
const REFUSED = { firstMs: 500, longestMs: 10_000, jitter: 0.2 };
const PROBE_MS = 2000;
/** A server that answers no ping any more is given up after twenty to thirty seconds. */
const PINGS = { pingInterval: 10_000, maxPingOut: 2 };

export const serversIn = (url: string): string[] => url.split(',').map((one) => one.trim());

/** Opens a connection that reconnects by itself. A failure that waiting cannot mend is thrown at once, and says what to mend. */
export async function openConnection(address: BusAddress, refusals: Refusals, connectSeconds: number | undefined): Promise<NatsConnection> {
  const options = {
    ...optionsOf(address),
    ...FAITHFUL,
    reconnectDelayHandler: () => (refusals.count > 0 ? backoffMs(REFUSED, refusals.count) : backoffMs(RECONNECT, 1)),
    // Each server of a cluster names the others, so a first connect with a wrong password would otherwise try them in turn for ever.
    ignoreAuthErrorAbort: false,
  };
  const retrying = { seconds: connectSeconds, isWorth: (error: unknown) => isTransient(error) || isLoginLate(error) };
  const connection = await retryConnect('nats', () => connect(options), retrying).catch((error: unknown) => {
    throw notConnected(address, error);
  });
  // From now on a refused login is waited out. The library reads this option at each refusal, and has no other way to change it.
  (connection as NatsConnection & { options: ConnectionOptions }).options.ignoreAuthErrorAbort = true;
  return connection;
}

/** Returns why no connection can be made now, in a sentence: the library does not say why it cannot reconnect. */
export async function connectFault(address: BusAddress): Promise<Error | undefined> {
  try {
    const probe = await connect({ ...optionsOf(address), name: `${address.name}-probe`, reconnect: false, timeout: PROBE_MS });
    await probe.close();
    return undefined;
  } catch (error) {
    return notConnected(address, error);
  }
}

function optionsOf({ url, user, password, tls, name }: BusAddress): ConnectionOptions {
  const authenticator = user === undefined ? undefined : usernamePasswordAuthenticator(user, () => currentText(password) ?? '');
  return {
    servers: serversIn(url),
    ...(user !== undefined && { inboxPrefix: inboxOf(user) }),
    ...(authenticator && { authenticator }),
    ...encryption(url, tls),
    // Otherwise the library makes two errors for each request, to show where it was made in case it fails. That is costly for requests in a
    // loop.
    noAsyncTraces: true,
    ...PINGS,
    name,
  };
}

/** Without these options the client would go on in clear text when somebody in between says that the server has no TLS. */
function encryption(url: string, { ca, cert, key, handshake = 'first' }: BusTls = {}): Pick<ConnectionOptions, 'tls'> {
  if (!url.startsWith('tls:')) return {};
  return {
    tls: Object.defineProperty(withLiveMembers({ ca, cert, key }), 'handshakeFirst', { value: handshake === 'first', enumerable: true }),
  };
}

export const isLoginRefused = (error: unknown): boolean =>
  (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) && !isLoginLate(error);

/** Whether the server did not wait for the login: this says nothing about user and password. */
const isLoginLate = (error: unknown): boolean => error instanceof AuthorizationError && /timeout/i.test(error.message);

/** Whether a host name is unknown. The system's own message names the host, so it is shown as it is. */
const isUnknownName = (error: unknown) => /ENOTFOUND|EAI_AGAIN/.test((error as Error).message);

/** Whether the server greets in clear text, by what OpenSSL says then. */
const isClearText = (error: unknown) =>
  /ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/.test((error as { code?: string }).code ?? '');

/** Returns an error that says what to mend. */
export function notConnected({ url, user }: Pick<BusAddress, 'url' | 'user'>, cause: unknown): Error {
  const hosts = serversIn(url).map((one) => one.replace(/^[a-z]+:\/\//, '').replace(/^.*@/, ''));
  const server = `NATS at ${hosts.join(', ')}`;
  if (isClearText(cause))
    return new OperatorFault(
      `${server} does not begin with TLS: set handshake_first in its tls block, or NATS_TLS_HANDSHAKE=after-info where it offers TLS later`,
      { cause },
    );
  if (isLoginRefused(cause))
    return new OperatorFault(`${server} does not let ${user ?? 'anybody without a user'} in: check the user and its password`, { cause });
  if (isLoginLate(cause))
    return new OperatorFault(`${server} did not wait for the login: see that neither it nor this machine is overloaded`, { cause });
  const fault = tlsFault(cause, 'NATS_CA');
  if (fault !== undefined) return new OperatorFault(`No connection to ${server}: ${fault}`, { cause });
  if (callFailure(cause) && !isUnknownName(cause))
    return new OperatorFault(`${server} cannot be reached: see that it runs, and that this is its address`, { cause });
  return new OperatorFault(`No connection to ${server}: ${(cause as Error).message}`, { cause });
}
