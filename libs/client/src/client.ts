import { setMaxListeners } from 'node:events';
import { connections, operation, Refusal, type Endpoint, type Output, type Request, type ToOpen } from '@codase/contracts';
import { Bus, type BusTls } from '@codase/runtime/bus';
import { systemClock, type Clock } from '@codase/runtime/clock';
import { openLog, type Log } from '@codase/runtime/telemetry';
import { isSignedByProvider, type ProviderKeys, type VerifiedValue } from './attestation.ts';
import { challenge, type ChallengeOptions, type ChallengeRequest, type LoginResult } from './challenge.ts';
import { documentsOf, type Documents } from './documents.ts';
import { FileTransfer } from './file-transfer.ts';
import { FlowNames } from './flow-names.ts';
import { flowsOf, type Flows, type RunningTurns } from './flows.ts';
import { GatewayHttp, REQUEST_TIMEOUT_MS, type TransferOptions, type Download, type GatewayAddress } from './gateway-http.ts';
import { startGroup, type Group, type GroupOptions, type RunningGroup } from './group.ts';
import type { Handlers } from './handlers.ts';
import type { Inbox } from './inbox.ts';
import { KeyChecks, type KeyLogOptions } from './key-checks.ts';
import { messagesOf, type Messages } from './messages.ts';
import { Opener, type OpenedItem } from './opener.ts';
import { ReaderKeys } from './reader-keys.ts';

/** The address of the bus, the credentials of the client, and the service that it acts for. */
export interface ConnectOptions {
  /** The address of the suite's NATS, such as nats://127.0.0.1:4222, or tls://… when it runs on another machine. */
  url: string;
  /** For tls://…: the CA that signed the server's certificate, and the certificate and key of this client, in PEM. */
  tls?: BusTls;
  user: string;
  password: string;
  /** The service to act for, by the gateway's name of it. */
  service: string;
  /** The gateway's HTTP server, for files and bodies that are too long for the bus. */
  gateway?: GatewayAddress;
  /**
   * The certificates that sealed contracts are verified with, in PEM, including those that the platform used before. Give them when you
   * have compared their fingerprints yourself. Without them the client asks the platform for them.
   */
  sealCertificates?: readonly string[];
  /** Whether the keys of readers must stand in the transparency log of the platform before something is sealed to them. */
  keyLog?: KeyLogOptions;
  /** How many seconds to wait at the start for a bus, a stream or a feed consumer that is still starting; 15 when absent. */
  connectSeconds?: number;
  log?: Log;
  clock?: Clock;
}

/** The client of an internal service: typed requests to the platform, its events and their values, over the bus. */
export interface CodaseClient {
  /** Calls the platform through the gateway. Throws a `Refusal` with its key when the call is refused. */
  request<E extends Endpoint>(contract: E, request: Request<E>, options?: { timeoutMs?: number }): Promise<Output<E>>;
  /** Runs a handler for each kind of event, once for each, in order for each person. Replicas with the same group share them. */
  handle<Tx>(group: string, inbox: Inbox<Tx>, handlers: Handlers<Tx>, options?: GroupOptions): Promise<Group>;
  /** Opens values outside a handler. Returns the results in order; a value that does not open has an error in its place. */
  open(values: readonly ToOpen[]): Promise<OpenedItem[]>;
  /**
   * Opens values that are sealed to the account key of the company, whichever service this client acts for: the claims of a sign-in, and
   * what the company gets as a customer of others. The answers are those of `open`. An operator gives the right `account`.
   */
  openForAccount(values: readonly ToOpen[]): Promise<OpenedItem[]>;
  /**
   * Whether a provider signed the verification of a value: `attested` says that the plaintext is the one that the platform calls verified,
   * and this says, by the keys of the provider, that the provider verified it for this person.
   */
  isSignedByProvider(value: VerifiedValue, keys: ProviderKeys): Promise<boolean>;
  /**
   * Asks a person to approve a login and waits for the outcome. Let the login in only when it is `approved`. Throws a `Refusal` when the
   * person cannot be asked, such as `twofa.not_enrolled`. Once the person is asked, every failure counts as a no.
   */
  challenge(request: ChallengeRequest, options?: ChallengeOptions): Promise<LoginResult>;
  /** Writes to the customers of the service, each text sealed to its reader before it leaves this process. */
  readonly messages: Messages;
  /** Sends documents and contracts, follows them, and fetches the sealed ones. */
  readonly documents: Documents;
  /** Starts runs of contract flows, and plays the company's turns. */
  readonly flows: Flows;
  /**
   * Asks a person, by share code, to connect to the service. The answer comes as the event `connection_request_accepted` or
   * `connection_request_rejected`. While a request waits, a repeat returns the same request.
   */
  invite(share_code: string, options?: { message?: string; timeoutMs?: number }): Promise<{ request_id: string }>;
  /** Reads a file of any length from the gateway's HTTP server, as a stream. */
  download<E extends Endpoint>(contract: E, request: Request<E>, options?: TransferOptions): Promise<Download>;
  /** Sends a body of any length through the gateway's HTTP server. */
  upload<E extends Endpoint>(contract: E, request: Request<E>, options?: TransferOptions): Promise<Output<E>>;
  /** Whether the client can work now, for a readiness probe. It keeps retrying what is not ready, so nothing has to be restarted. */
  health(): Health;
  /** Settles when the client has left the bus for good. */
  readonly closed: Promise<void>;
  /**
   * Stops the handlers, waits for the events and turns that are being handled, and leaves the bus. Ends the challenges that wait for an
   * outcome: their calls throw the refusal `service.unavailable`. It succeeds while the bus is away, and when it is called again.
   */
  close(): Promise<void>;
}

/** Whether the client can work; `checks` says `ok` or what is wrong, for the bus and for each group of handlers. */
export interface Health {
  ready: boolean;
  checks: Record<string, string>;
}

/** Connects an internal service to the suite. */
export async function connect({
  url,
  tls,
  user,
  password,
  service,
  gateway,
  sealCertificates,
  keyLog,
  connectSeconds,
  ...given
}: ConnectOptions): Promise<CodaseClient> {
  checkName(service);
  const { log = openLog(user), clock = systemClock } = given;
  const bus = await Bus.connect({ url, user, password, ...(tls && { tls }), connectSeconds, name: user, log });
  const opener = Opener.forService(bus, service);
  let accountOpener: Opener | undefined;
  const http = new GatewayHttp(gateway, service);
  const keys = new ReaderKeys(bus, service, new KeyChecks({ bus, service, clock, log }, keyLog));
  const files = new FileTransfer({ bus, service, http, opener });
  const names = new FlowNames(bus, service, REQUEST_TIMEOUT_MS);
  const groups: RunningGroup[] = [];
  const turns: RunningTurns[] = [];
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each challenge that waits adds a listener
  const leave = async () => {
    closing.abort(new Refusal('service.unavailable').because('The client was closed'));
    await Promise.all([...groups, ...turns].map((running) => running.stop()));
    await bus.close();
  };
  let leaving: Promise<void> | undefined;
  return {
    request: (contract, request, { timeoutMs = REQUEST_TIMEOUT_MS } = {}) =>
      bus.request(operation(contract), { service }, request as never, { timeout: timeoutMs }) as never,
    async handle(name, inbox, handlers, options) {
      closing.signal.throwIfAborted();
      const group = await startGroup({ bus, user, service, opener, clock, log }, { name, inbox, handlers, options });
      groups.push(group);
      return group;
    },
    challenge: (request, options) => challenge({ bus, service, clock, log, closing: closing.signal }, request, options),
    open: (values) => opener.openAll(values),
    isSignedByProvider: (value, keys) => isSignedByProvider({ bus, service }, value, keys),
    openForAccount: (values) => (accountOpener ??= Opener.forAccount(bus)).openAll(values),
    messages: messagesOf({ bus, service, http, keys }),
    documents: documentsOf({ bus, service, files, keys, sealCertificates }),
    flows: flowsOf({ bus, service, log, files, names, started: turns, closing: closing.signal }),
    invite: (share_code, { message, timeoutMs = REQUEST_TIMEOUT_MS } = {}) => {
      const request = { body: { share_code, ...(message !== undefined && { message }) } };
      return bus.request(operation(connections.requestConnection), { service }, request, { timeout: timeoutMs });
    },
    download: (contract, request, options) => http.download(contract, request, options),
    upload: (contract, request, options) => http.upload(contract, request, options),
    health: () => healthOf(bus, groups),
    closed: bus.closed,
    close: () => (leaving ??= leave()),
  };
}

/** Throws unless the gateway's name of the service can be a part of a subject. */
function checkName(service: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(service)) return;
  throw new Error(`The service ${JSON.stringify(service)} cannot be one: give the gateway's name of it, of letters, digits, _ and - only`);
}

function healthOf(bus: Bus, groups: readonly RunningGroup[]): Health {
  const running = groups
    .filter(({ isStopped }) => !isStopped)
    .map(({ name, isSubscribed }) => [name, isSubscribed ? 'ok' : 'hears no events'] as const);
  const checks = { bus: bus.isConnected ? 'ok' : 'not connected', ...Object.fromEntries(running) };
  return { ready: Object.values(checks).every((found) => found === 'ok'), checks };
}
