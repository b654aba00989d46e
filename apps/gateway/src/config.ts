import { RATE_LIMITS, type Bucket, type RateLimit } from '@codase/contracts';
import { httpServerConfig, httpUrl, json, LiveVariable, port, serviceConfig } from '@codase/runtime/config';
import { z } from 'zod';
import { ApiHosts, isHostEntry } from './routing/api-hosts.ts';
import { SigningKeyVariable } from './tokens/signing-key.ts';

/** A service's name on the bus: a word of one subject level. */
const Handle = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and - only');

const client_id = z.string().min(1);
/** How a client proves itself: by its secret, or by a private key in PEM that signs an assertion for each token. Never by both. */
const Credentials = z.union(
  [z.strictObject({ client_id, client_secret: z.string().min(1) }), z.strictObject({ client_id, private_key: SigningKeyVariable })],
  'client_id with client_secret, or with private_key: an EC P-256, Ed25519 or RSA key in PEM, RSA from 2048 bits',
);
export type Credentials = z.infer<typeof Credentials>;

/** The callers over HTTP, by the name that queues and logs show: each with its token and the clients it may act as. */
const Callers = z.record(Handle, z.strictObject({ token: z.string().min(32, 'tokens of 32 characters or more'), may: z.array(Handle) }));

const Limit = z.strictObject({ burst: z.number().min(1), per_second: z.number().positive() });

const clients = json(z.record(Handle, Credentials, 'an object of {name: {client_id, client_secret or private_key}}'));

const HOSTS = 'hosts without scheme or port, separated by commas: eu.example.org, *.example.org';
const hostsOf = (text: string) => text.split(',').map((host) => host.trim().toLowerCase());

export const Config = serviceConfig
  .extend(httpServerConfig.shape)
  .extend({
    FRONT_DOOR_URL: httpUrl,
    /**
     * The hosts of the platform that a token answer or a 421 may name, comma-separated: eu.example.org, *.example.org. When absent, the
     * host of the front door and all hosts below it. Tokens are sent to no other host.
     */
    API_HOSTS: z
      .string()
      .transform(hostsOf)
      .pipe(z.array(z.string().refine(isHostEntry, HOSTS)).min(1, HOSTS))
      .optional(),
    /**
     * {"shop": {"client_id": "svc_…", "client_secret": "…"}}; mount it and name it in SERVICES_FILE, which is read anew for each token: a
     * new secret needs no restart, a new name does. In place of the secret, "private_key" is a key in PEM whose public half the client
     * has registered.
     */
    SERVICES: clients,
    /** The same for account automation clients. These are used over HTTP alone: their answers hold secrets, which no bus carries. */
    ACCOUNTS: clients.default({}),
    /** The address for HTTP requests for files and accounts, inside the cluster. Without PORT there is no HTTP server. */
    HOST: z.string().default('127.0.0.1'),
    PORT: port.optional(),
    /** {"shop-backend": {"token": "…", "may": ["shop"]}}; mount it and name it in CALLERS_FILE. */
    CALLERS: json(Callers).default({}),
    /** The platform's rate limits, when they are not the usual ones. Several gateways share them. */
    RATE_LIMITS: json(z.partialRecord(z.enum(Object.keys(RATE_LIMITS) as RateLimit[]), Limit)).default({}),
    /** How many calls may queue for one rate limit. More are refused. */
    QUEUE_CALLS: z.coerce.number('a number of calls').int().min(1, 'a number of calls, 1 or more').default(2000),
  })
  .refine(({ SERVICES, ACCOUNTS }) => !Object.keys(ACCOUNTS).some((name) => Object.hasOwn(SERVICES, name)), {
    path: ['ACCOUNTS'],
    error: 'names that no service has',
  });
export type Config = z.infer<typeof Config>;

/** A client the gateway acts as. */
export interface Client {
  name: string;
  kind: 'service' | 'account';
}

/** The credentials with which clients of one kind request tokens, by the names of the clients. */
type CredentialsList = Pick<LiveVariable<Config['SERVICES']>, 'current' | 'reread'>;

/** The configuration as the parts of the gateway use it. */
export interface Settings {
  frontDoorUrl: string;
  hosts: ApiHosts;
  clients: ReadonlyMap<string, Client>;
  credentials: Readonly<Record<Client['kind'], CredentialsList>>;
  /** Where the HTTP server listens, undefined when there is none. `callers` may call it. */
  http: { host: string; port: number } | undefined;
  callers: Readonly<Config['CALLERS']>;
  limits: Record<RateLimit, Pick<Bucket, 'burst' | 'per_second'>>;
  queue: number;
}
export const SETTINGS = Symbol('Settings');

export function settingsOf(config: Config): Settings {
  const { FRONT_DOOR_URL, API_HOSTS, SERVICES, ACCOUNTS, HOST, PORT, CALLERS, RATE_LIMITS: configured, QUEUE_CALLS } = config;
  const named = (kind: Client['kind'], all: Config['SERVICES']) => Object.keys(all).map((name): [string, Client] => [name, { name, kind }]);
  const clients = new Map([...named('service', SERVICES), ...named('account', ACCOUNTS)]);
  const credentials = { service: LiveVariable.of(Config, config, 'SERVICES'), account: LiveVariable.of(Config, config, 'ACCOUNTS') };
  const http = PORT === undefined ? undefined : { host: HOST, port: PORT };
  const hosts = new ApiHosts(FRONT_DOOR_URL, API_HOSTS);
  return {
    frontDoorUrl: FRONT_DOOR_URL,
    hosts,
    clients,
    credentials,
    http,
    callers: CALLERS,
    limits: { ...RATE_LIMITS, ...configured },
    queue: QUEUE_CALLS,
  };
}
