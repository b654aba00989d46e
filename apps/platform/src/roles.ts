import { Module, type Provider, type Type } from '@nestjs/common';
import { ENDPOINTS, type Base } from '@codase/contracts';
import type { KeyPair } from '@codase/pdf';
import { ProjectionReader } from '@codase/runtime/bus';
import type { Clock } from '@codase/runtime/clock';
import { LiveVariable, readConfig, type LiveKeys } from '@codase/runtime/config';
import {
  configuredDatabase,
  databaseAnswers,
  forEveryCompany,
  furtherPool,
  openDatabase,
  passwordIn,
  schemaIsCurrent,
} from '@codase/runtime/db';
import { httpServerOptions, notBuilt, openapi, servedEndpoints } from '@codase/runtime/http';
import { startService, type Check, type ServiceContext, type RunningService } from '@codase/runtime/service';
import type { Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { refuseRestored } from './foundation/audit/index.ts';
import { roleModule, type Followed, type Part, type Pool, type RoleConfigs } from './kit/capability.ts';
import {
  CAPABILITIES,
  FRONT_DOOR_ENTITIES,
  FRONT_DOOR_MIGRATIONS,
  MOVED_TABLES,
  PLATFORM_COUNTERS,
  REGION_ENTITIES,
  REGION_MIGRATIONS,
} from './capabilities.ts';
import { DeliveryConfig, ForwarderConfig, FrontDoorConfig, RegionConfig, type RoleName } from './kit/config.ts';
import { FRONT_DOOR_DB, REGION_DATABASES, REGION_DB } from './kit/databases.ts';
import { API_DOCUMENT, API_INTRODUCTION } from './access/discovery/index.ts';
import { REPLICA } from './access/identity/index.ts';
import { newId } from './kit/ids.ts';
import { MovedTables } from './storage/moves/index.ts';
import { HERE } from './foundation/regions/index.ts';
import { SEAL_KEY_PAIRS } from './services/seals/index.ts';

/** Returns a controller for endpoints of a base that are not built yet. They answer 404 to the callers that may call them. */
const remaining = (base: Base, capabilities: Type) => {
  const served = new Set(servedEndpoints(capabilities).map(({ name }) => name));
  return notBuilt(ENDPOINTS.filter(({ name, at }) => at.includes(base) && !served.has(name)));
};

const AT_FRONT_DOOR = roleModule('front-door', CAPABILITIES);
const AT_REGION = roleModule('region', CAPABILITIES);

/** Sign-in, tokens and routing. Holds the registry of clients. */
@Module({ imports: [AT_FRONT_DOOR], controllers: [remaining('front-door', AT_FRONT_DOOR)] })
export class FrontDoorModule {}

/** The Company Data Service API of one home region. */
@Module({ imports: [AT_REGION], controllers: [remaining('region', AT_REGION)] })
export class RegionModule {}

/** Delivers webhooks, and sends mail to companies whose webhooks do not accept their events. */
@Module({ imports: [roleModule('delivery', CAPABILITIES)] })
class DeliveryModule {}

/** Calls plugins. */
@Module({ imports: [roleModule('forwarder', CAPABILITIES)] })
export class ForwarderModule {}

/** The things that a test can replace. */
export interface RoleOptions {
  clock?: Clock;
  /** Returns the key pair of a certificate that a region makes. */
  sealKeyPair?: () => KeyPair;
}

type Built = Omit<Awaited<ReturnType<Parameters<typeof startService>[0]['build']>>, 'metrics' | 'labels' | 'keys'>;

/** Starts a role by what `build` opens for it. `regions` are those that its metrics are labelled with. */
async function startRole<Role extends keyof RoleConfigs>(
  role: Role,
  config: RoleConfigs[Role],
  { name = `platform-${role}`, regions, ...options }: RoleOptions & { name?: string; regions: string[] },
  build: (context: ServiceContext, parts: ConfiguredParts) => Promise<Built>,
): Promise<RunningService> {
  const parts = configured(role, config);
  return startService({
    name,
    config,
    ...options,
    build: async (context) => ({
      metrics: PLATFORM_COUNTERS,
      labels: { 'codase.region': regions },
      keys: liveKeys(parts, config),
      ...(await build(context, parts)),
    }),
  });
}

function startFrontDoor(config: FrontDoorConfig, options: RoleOptions): Promise<RunningService> {
  const name = 'platform-front-door';
  const regions = config.REGIONS.map(({ region }) => region);
  return startRole('front-door', config, { ...options, name, regions }, async (context, parts) => {
    const db = await configuredDatabase(config, name, FRONT_DOOR_ENTITIES);
    await context.waitFor('schema', schemaIsCurrent(db, FRONT_DOOR_MIGRATIONS));
    await refuseRestored(db, context.bus, context.log);
    const opened = await open(parts, context);
    const replica = newId('fd');
    const providers = [
      ...opened.providers,
      { provide: HERE, useValue: { base: 'front-door' } },
      { provide: REPLICA, useValue: replica },
      { provide: FRONT_DOOR_DB, useValue: db },
      { provide: MovedTables, useValue: MOVED_TABLES },
      { provide: API_DOCUMENT, useValue: () => apiDocument(config) },
    ];
    const checks = { postgres: databaseAnswers(db, context.log), ...opened.checks };
    const [parameters, close] = [{ replica, region: regions }, () => db.destroy()];
    return { module: FrontDoorModule, providers, parameters, listen: listenAt(config), checks, close };
  });
}

/** What a region does by itself, and what it is asked over the bus, is for every company. A call over HTTP says for which one it is. */
const startRegion = (config: RegionConfig, options: RoleOptions): Promise<RunningService> =>
  forEveryCompany(() => startOwnRegion(config, options));

function startOwnRegion(config: RegionConfig, { sealKeyPair, ...options }: RoleOptions): Promise<RunningService> {
  const name = `platform-region-${config.REGION}`;
  const regions = config.REGIONS.map(({ region }) => region);
  return startRole('region', config, { ...options, name, regions }, async (context, parts) => {
    const db = await configuredDatabase(config, name, REGION_ENTITIES, { byCompany: true });
    await context.waitFor('schema', schemaIsCurrent(db, REGION_MIGRATIONS));
    await refuseRestored(db, context.bus, context.log, config.REGION);
    const pool = ({ name: own, size, hasEntities }: Pool) =>
      furtherPool(db, config, { name: `${name}-${own}`, size, entities: hasEntities ? REGION_ENTITIES : [], byCompany: true });
    const opened = await open(parts, context, pool);
    const providers = [
      ...opened.providers,
      { provide: HERE, useValue: { base: 'region', region: config.REGION } },
      { provide: REGION_DB, useValue: db },
      { provide: MovedTables, useValue: MOVED_TABLES },
      ...(sealKeyPair ? [{ provide: SEAL_KEY_PAIRS, useValue: sealKeyPair }] : []),
    ];
    const checks = { postgres: databaseAnswers(db, context.log), ...opened.checks };
    const close = async () => void (await Promise.all([db, ...opened.pools].map((one) => one.destroy())));
    // The API explorer is a page of the front door that calls the routes of regions.
    const listen = { ...listenAt(config), browserOrigins: [new URL(config.FRONT_DOOR_URL).origin, ...config.WEB_ORIGINS] };
    return { module: RegionModule, providers, parameters: { region: config.REGION }, listen, checks, close };
  });
}

/** The delivery works for every company. */
const startDelivery = (config: DeliveryConfig, options: RoleOptions): Promise<RunningService> =>
  forEveryCompany(() => startOwnDelivery(config, options));

function startOwnDelivery(config: DeliveryConfig, options: RoleOptions): Promise<RunningService> {
  const names = Object.keys(config.DATABASES);
  return startRole('delivery', config, { ...options, regions: names }, async (context, parts) => {
    const regions = await Promise.all(
      Object.entries(config.DATABASES).map(async ([region, { url }]) => ({ region, db: await regionDatabase(region, url, config) })),
    );
    for (const { region, db } of regions) await context.waitFor(`schema-${region}`, schemaIsCurrent(db, REGION_MIGRATIONS));
    const opened = await open(parts, context);
    const providers = [...opened.providers, { provide: REGION_DATABASES, useValue: regions }];
    const answering = regions.map(({ region, db }) => [`postgres-${region}`, databaseAnswers(db, context.log)] as const);
    const checks = { ...Object.fromEntries(answering), ...opened.checks };
    const close = async () => void (await Promise.all(regions.map(({ db }) => db.destroy())));
    return { module: DeliveryModule, providers, parameters: { region: names }, checks, close };
  });
}

/** Opens the database of a region without entities: what the delivery does is SQL. */
function regionDatabase(region: string, url: string, config: DeliveryConfig): Promise<DataSource> {
  const databases = LiveVariable.of(DeliveryConfig, config, 'DATABASES');
  const password = () => {
    const named = databases.latest()[region];
    return named?.password ?? passwordIn(named?.url ?? url);
  };
  const { DATABASE_POOL: pool, CONNECT_SECONDS: connectSeconds, DATABASE_CA: ca, DATABASE_CERT: cert, DATABASE_KEY: key } = config;
  return openDatabase({ url, password, ca, cert, key, name: `platform-delivery-${region}`, pool, connectSeconds, byCompany: true });
}

function startForwarder(config: ForwarderConfig, options: RoleOptions): Promise<RunningService> {
  const regions = Object.keys(config.TOKEN_KEYS).filter((base) => base !== 'front-door');
  return startRole('forwarder', config, { ...options, regions }, async (context, parts) => {
    const { providers, checks } = await open(parts, context);
    return { module: ForwarderModule, providers, listen: listenAt(config), checks };
  });
}

const role = <S extends z.ZodObject>(schema: S, start: (config: z.output<S>, options: RoleOptions) => Promise<RunningService>) => ({
  schema,
  /** Starts the role with the variables of the environment. Several roles in one process read their own variables by prefix. */
  start: (env: NodeJS.ProcessEnv, prefix: string, options: RoleOptions = {}) => start(readConfig(schema, env, prefix), options),
});

/** The roles of the one code base. Each Deployment of Kubernetes runs its own. */
export const ROLES = {
  'front-door': role(FrontDoorConfig, startFrontDoor),
  region: role(RegionConfig, startRegion),
  delivery: role(DeliveryConfig, startDelivery),
  forwarder: role(ForwarderConfig, startForwarder),
} satisfies Record<RoleName, unknown>;

export const prefixOf = (name: RoleName): string => `${name.replace('-', '_').toUpperCase()}_`;

/** The API as it is served today, at all bases. */
const apiDocument = ({ FRONT_DOOR_URL, FORWARDER_URL, REGIONS }: FrontDoorConfig) =>
  openapi(
    [FrontDoorModule, RegionModule, ForwarderModule].flatMap((module) => servedEndpoints(module)),
    {
      title: 'Company Data Service',
      version: '1',
      description: API_INTRODUCTION,
      servers: {
        'front-door': [{ url: FRONT_DOOR_URL, description: 'The front door: sign-up, sign-in, tokens' }],
        region: REGIONS.map(({ region, api_url }) => ({ url: api_url, description: `Region ${region}: data of those whose home it is` })),
        forwarder: [{ url: FORWARDER_URL, description: 'The forwarder: questions to plugins' }],
      },
    },
  );

const listenAt = (config: FrontDoorConfig | RegionConfig | ForwarderConfig) => ({
  host: config.HOST,
  port: config.PORT,
  trustProxy: config.TRUST_PROXY,
  isSecure: ownUrl(config).startsWith('https:'),
  browserOrigins: config.WEB_ORIGINS,
  ...httpServerOptions(config),
});

/** The URL at which callers reach the base. */
function ownUrl(config: FrontDoorConfig | RegionConfig | ForwarderConfig): string {
  if ('REGION' in config) return config.REGIONS.find(({ region }) => region === config.REGION)?.api_url ?? '';
  return 'FRONT_DOOR_URL' in config ? config.FRONT_DOOR_URL : config.FORWARDER_URL;
}

/** The parts of a role, and what they build from its configuration before anything is opened: a fault in it is found first. */
interface ConfiguredParts {
  parts: readonly Part<never>[];
  providers: Provider[];
  checks(log: Log): Record<string, Check>;
  keys: LiveKeys[];
}

function configured<Role extends keyof RoleConfigs>(name: Role, config: RoleConfigs[Role]): ConfiguredParts {
  const parts = CAPABILITIES.flatMap((capability) => capability.parts[name] ?? []) as Part<RoleConfigs[Role]>[];
  const made = parts.map((part) => part.configure?.(config) ?? {});
  return {
    parts,
    providers: made.flatMap(({ providers = [] }) => providers),
    checks: (log) => Object.assign({}, ...made.map(({ checks }) => checks?.(log))) as Record<string, Check>,
    keys: made.flatMap(({ keys = [] }) => keys),
  };
}

const liveKeys = ({ keys }: ConfiguredParts, { KEYS_POLL_SECONDS }: { KEYS_POLL_SECONDS: number }) => ({
  lists: keys,
  pollSeconds: KEYS_POLL_SECONDS,
});

/** Opens the replicas that the parts follow and the pools they want. */
async function open(
  { parts, providers, checks }: ConfiguredParts,
  context: ServiceContext,
  openPool?: (pool: Pool) => Promise<DataSource>,
) {
  const wanted = parts.flatMap(({ pools = [] }) => pools);
  const pools = await Promise.all(wanted.map((pool) => openPool!(pool)));
  const followed = await Promise.all(parts.flatMap(({ follows = [] }) => follows).map((one) => follow(one, context)));
  return {
    pools,
    providers: [
      ...providers,
      ...wanted.map(({ as }, nth) => ({ provide: as, useValue: pools[nth] })),
      ...followed.map(({ as, rows }) => ({ provide: as, useValue: rows })),
    ],
    checks: { ...checks(context.log), ...Object.fromEntries(followed.map(({ check, rows }) => [check, isFollowed(rows)])) },
  };
}

async function follow({ table, as, check }: Followed, { bus, log }: ServiceContext) {
  return { as, check, rows: await ProjectionReader.open(bus, table, log) };
}

/** A readiness check for a replica, which keeps its last state when the bus is lost: a process with an outdated one is not ready. */
const isFollowed = (rows: { problem: string | null }) => () => rows.problem;
