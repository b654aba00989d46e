import { regionUser } from '@codase/contracts';
import type { BusAddress } from './bus-address.ts';
import type { StackDatabases } from './databases.ts';
import { DEMO, privateKeyOf } from './demo.ts';
import { entryOf, REGIONS, TELEMETRY, UNIT_NAMES, type Ports, type UnitName } from './layout.ts';
import { platformKeys } from './keys.ts';
import type { Secrets } from './secrets.ts';

/** One process of the stack: what Node runs, its environment, and its ports. */
export interface Unit {
  name: UnitName;
  entry: string;
  imports: readonly string[];
  env: Record<string, string>;
  opsPort: number;
  port?: number;
  url?: string;
  needs?: readonly UnitName[];
}

export interface StackSettings {
  ports: Ports;
  secrets: Secrets;
  databases: StackDatabases;
  nats: BusAddress;
  /** The credentials that the gateway holds, by the services' names on the bus. */
  services: Record<string, { client_id: string; client_secret: string }>;
  /** The channel of each service, in the feed consumer's format. Events are drained when absent. */
  channels?: Record<string, object>;
  /** The address that spans are sent to. */
  traces?: string;
  clock?: 'system' | 'followed';
  /** Buckets in place of the default ones, by the name of the limit. */
  limits?: Record<string, { burst: number; per_second: number }>;
  /** The cost of password hashes in place of the default one. */
  passwordHashCost?: number;
  /** Whether regions test their seal before they are ready. */
  sealCheck?: 'start' | 'never';
}

interface UnitSettings {
  /** The unit's user on the bus. */
  as: string;
  env?: Record<string, string>;
  /** Values that a process gets only in files. */
  secret?: Record<string, string>;
  /** Secrets whose original files the process reads, by variable. */
  keys?: Record<string, string> | undefined;
  port?: number;
  needs?: readonly UnitName[];
}

export const frontDoorUrl = (ports: Ports): string => `http://127.0.0.1:${ports.serving['front-door']}`;
export const regionUrl = (ports: Ports, region: (typeof REGIONS)[number]): string =>
  `http://127.0.0.1:${ports.serving[`region-${region}`]}`;

export const forwarderUrl = (ports: Ports): string => `http://127.0.0.1:${ports.serving.forwarder}`;

/** Returns the token for the gateway's HTTP server, of the demo's internal service unless another caller is named. */
export const gatewayToken = (secrets: Secrets, caller: string = DEMO.consumer): string => secrets.password(`gateway/${caller}`);
export const gatewayUrl = (ports: Ports): string => `http://127.0.0.1:${ports.serving.gateway}`;

/** Returns where the default stack keeps its newest traces. */
export const tracesUrl = (ports: Ports): string => `http://127.0.0.1:${ports.traces}`;

export const boardUrl = (ports: Ports): string => `http://127.0.0.1:${ports.board}`;

/** The redirect addresses of the first-party apps of the default stack: pages that a portal on this machine would have. */
export const firstPartyRedirects = (ports: Ports) => ({
  app_portal: [`${frontDoorUrl(ports)}/portal/signed-in`],
  app_person: [`${frontDoorUrl(ports)}/app/signed-in`],
});

/** Describes the processes of the default stack, or some of them. */
export function describeUnits(settings: StackSettings, names: readonly UnitName[] = UNIT_NAMES): Unit[] {
  const all = settingsOf(settings);
  return names.map((name) => unit(name, all[name], settings));
}

function settingsOf(settings: StackSettings): Record<UnitName, UnitSettings> {
  const { ports, secrets, databases, nats, services, limits, passwordHashCost, sealCheck, channels } = settings;
  const bases = {
    FRONT_DOOR_URL: frontDoorUrl(ports),
    FORWARDER_URL: forwarderUrl(ports),
    REGIONS: JSON.stringify(REGIONS.map((region) => ({ region, api_url: regionUrl(ports, region) }))),
    ...(limits && { RATE_LIMITS: JSON.stringify(limits) }),
  };
  const keys = platformKeys(secrets);
  const region = (name: (typeof REGIONS)[number]): UnitSettings => ({
    as: regionUser(name),
    port: ports.serving[`region-${name}`],
    env: {
      PLATFORM_ROLES: 'region',
      REGION: name,
      ...bases,
      LOOPBACK_TARGETS: 'allowed',
      ...(sealCheck && { SEAL_CHECK: sealCheck }),
    },
    secret: { DATABASE_URL: databases[`region_${name}`].app },
    keys: keys[`region-${name}`],
  });
  return {
    'front-door': {
      as: 'platform-front-door',
      port: ports.serving['front-door'],
      env: {
        PLATFORM_ROLES: 'front-door',
        ...bases,
        FIRST_PARTY_REDIRECTS: JSON.stringify(firstPartyRedirects(ports)),
        ...(passwordHashCost && { PASSWORD_HASH_COST: String(passwordHashCost) }),
      },
      secret: { DATABASE_URL: databases.front_door.app },
      keys: keys['front-door'],
    },
    'region-eu': region('eu'),
    'region-us': region('us'),
    delivery: {
      as: 'platform-delivery',
      env: { PLATFORM_ROLES: 'delivery', LOOPBACK_TARGETS: 'allowed' },
      secret: {
        DATABASES: JSON.stringify(Object.fromEntries(REGIONS.map((name) => [name, { url: databases[`region_${name}`].delivery }]))),
      },
      keys: keys.delivery,
    },
    /** A getter, so that the key is made only when this unit is described. */
    get forwarder() {
      return {
        as: 'platform-forwarder',
        port: ports.serving.forwarder,
        env: {
          PLATFORM_ROLES: 'forwarder',
          FORWARDER_URL: forwarderUrl(ports),
          LOOPBACK_TARGETS: 'allowed',
          ...(limits && { RATE_LIMITS: JSON.stringify(limits) }),
        },
        keys: keys.forwarder,
      };
    },
    gateway: {
      as: 'gateway',
      port: ports.serving.gateway,
      env: { FRONT_DOOR_URL: bases.FRONT_DOOR_URL, ...(limits && { RATE_LIMITS: JSON.stringify(limits) }) },
      secret: {
        SERVICES: JSON.stringify(services),
        CALLERS: JSON.stringify(
          Object.fromEntries(
            [DEMO.consumer, 'flows'].map((caller) => [caller, { token: gatewayToken(secrets, caller), may: Object.keys(services) }]),
          ),
        ),
      },
    },
    'feed-consumer': {
      as: 'feed-consumer',
      // Without a webhook channel nothing listens.
      ...(Object.values(channels ?? {}).some((channel) => 'webhook_id' in channel) && { port: ports.serving['feed-consumer'] }),
      env: { REPLICA: 'feed-consumer-1', IDLE_SECONDS: '1' },
      secret: { DATABASE_URL: databases.feed_consumer.app, CHANNELS: JSON.stringify(channels ?? drained(Object.keys(services))) },
    },
    /** A getter, so that the folders are made only when this unit is described. */
    get decryptor() {
      return {
        as: 'decryptor',
        env: {
          KEYS_DIR: secrets.mount('services/decryptor/keys', privateKeys(secrets, 'pem')),
          PASSPHRASES_DIR: secrets.mount('services/decryptor/passphrases', privateKeys(secrets, 'passphrase')),
          KEYS_POLL_SECONDS: '1',
        },
        secret: {
          CALLERS: JSON.stringify(
            callersOf(Object.keys(services), limits ? UNLIMITED : FLOWS_PER_MINUTE, (user) => nats.credentials(user).user ?? user),
          ),
        },
      };
    },
    flows: {
      as: 'flows',
      env: { SERVICES: JSON.stringify(followed(Object.keys(services))), GATEWAY_URL: gatewayUrl(ports) },
      secret: { DATABASE_URL: databases.flows.app, GATEWAY_TOKEN: gatewayToken(secrets, 'flows') },
    },
    twofa: { as: 'twofa', secret: { DATABASE_URL: databases.twofa.app } },
  };
}

/** Returns one part of each key that the demo has made: the encrypted PEMs, or their passphrases. */
function privateKeys(secrets: Secrets, part: 'pem' | 'passphrase'): Record<string, string> {
  const made = Object.entries(DEMO.keys).filter(([, owner]) => secrets.has(`keys/${owner}.pem`));
  return Object.fromEntries(made.map(([name, owner]) => [`${name}.${part}`, privateKeyOf(secrets, owner)[part]]));
}

const followed = (services: readonly string[]) => Object.fromEntries(services.map((service) => [service, {}]));
const drained = (services: readonly string[]) => Object.fromEntries(services.map((service) => [service, { mode: 'pull' }]));

/** How many values flows may have opened in a minute; nothing limits it where the caller has limits of its own, as tests and benches do. */
const FLOWS_PER_MINUTE = 10_000;
const UNLIMITED = 1_000_000_000;

/** Returns the callers that the decryptor answers. On an external bus all services may share one user, who then gets the rights of all. */
function callersOf(services: readonly string[], per_minute: number, busUser: (user: string) => string) {
  const [reader, feed, flows] = [busUser(DEMO.consumer), busUser('feed-consumer'), busUser('flows')];
  return reader === feed
    ? { [reader]: { values: services, payloads: services } }
    : { [reader]: { values: services }, [flows]: { values: services, per_minute }, [feed]: { payloads: services } };
}

function unit(
  name: UnitName,
  { as, env = {}, secret = {}, keys = {}, port, needs }: UnitSettings,
  { ports, secrets, nats, traces, clock = 'system' }: StackSettings,
): Unit {
  const { user, password } = nats.credentials(as);
  const hidden = { ...secret, ...(password && { NATS_PASSWORD: password }) };
  return {
    name,
    entry: entryOf(name),
    imports: [TELEMETRY],
    opsPort: ports.ops[name],
    ...(port !== undefined && { port, url: `http://127.0.0.1:${port}` }),
    ...(needs && { needs }),
    env: {
      NODE_ENV: 'development',
      OTEL_SERVICE_NAME: name,
      ...(traces && { OTEL_EXPORTER_OTLP_ENDPOINT: traces, OTEL_BSP_SCHEDULE_DELAY: '300' }),
      OPS_PORT: String(ports.ops[name]),
      NATS_URL: nats.url,
      CLOCK: clock,
      ...(user && { NATS_USER: user }),
      ...(port !== undefined && { PORT: String(port) }),
      ...env,
      ...hiddenEnv(name, hidden, secrets),
      ...keyEnv(name, keys, secrets),
    },
  };
}

/** Passes each secret in a file that a _FILE variable names, as a cluster does; in memory, for a test, in the variable itself. */
export function hiddenEnv(name: string, hidden: Record<string, string>, secrets: Secrets): Record<string, string> {
  return Object.fromEntries(
    Object.entries(hidden).map(([variable, value]) => {
      const path = secrets.put(`services/${name}/${variable}`, value);
      return path ? [`${variable}_FILE`, path] : [variable, value];
    }),
  );
}

/** Does the same for secrets that have their own file already. */
function keyEnv(name: string, keys: Record<string, string>, secrets: Secrets): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keys).map(([variable, secret]) => {
      const path = secrets.share(secret, name, variable);
      return path ? [`${variable}_FILE`, path] : [variable, secrets.known(secret)];
    }),
  );
}
