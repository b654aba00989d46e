import { Global, Module, type Provider, type Type } from '@nestjs/common';
import { ENDPOINTS, RATE_LIMITS, type Base } from '@cds/contracts';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { Bus, ProjectionReader } from '@cds/runtime/bus';
import type { Clock } from '@cds/runtime/clock';
import { ConfigFault, readConfig } from '@cds/runtime/config';
import { configuredDatabase, databaseAnswers, openDatabase } from '@cds/runtime/db';
import { notBuilt, openapi, Outbound, servedEndpoints } from '@cds/runtime/http';
import { startService, type RunningService } from '@cds/runtime/service';
import type { Log } from '@cds/runtime/telemetry';
import { API_DOCUMENT, DiscoveryModule } from './discovery/index.ts';
import { BASES, FrontDoorRegions, HERE, Home, RegionRegions, MODE_ROWS, MODES, type Bases, type Here } from './regions/index.ts';
import { CLIENT_ROWS, CLIENTS, FrontDoorClients, PEPPER, RegionClients } from './clients/index.ts';
import { FrontDoorTokens, LIMITS, readSigningKey, RegionTokens, REVOCATION_ROWS, REVOCATIONS, SIGNING_KEY } from './tokens/index.ts';
import { FrontDoorIdentity } from './identity/index.ts';
import { FrontDoorMoves, RegionMoves } from './moves/index.ts';
import { FIRST_PARTY_REDIRECTS, SignInModule } from './sign-in/index.ts';
import { ConnectionSlots, ConnectionsModule, CUSTOMER_WRITES, CUSTOMER_WRITES_AT_ONCE, givenAnswers } from './connections/index.ts';
import { DeliveryConfig, ForwarderConfig, FrontDoorConfig, RegionConfig, type RoleName } from './config.ts';
import { FRONT_DOOR_DB, REGION_DB } from './databases.ts';
import { DRAIN_WRITES, DRAINS_AT_ONCE, FeedModule, SLOTS } from './feed/index.ts';
import { MAIL_REGIONS, MailModule, Relay, RELAY, relayAddress } from './mail/index.ts';
import { PeopleModule } from './people/index.ts';
import { ContactFields, FIELD_TYPE_ROWS, FIELD_TYPES, FieldTypesView, FrontDoorRegistry, RegionRegistry } from './registry/index.ts';
import { CATALOGUE, GIVEN_ANSWERS, ServicesModule, type Catalogue } from './services/index.ts';
import { STORED_SECRETS, StoredSecrets } from './stored-secrets.ts';
import { DELIVERY_REGIONS, OUTBOUND, WebhookDelivery, WebhooksModule, type DeliveryRegion } from './webhooks/index.ts';

/** What is declared for a base and not built yet: it answers 404 to those who may call it. */
const remaining = (base: Base, parts: readonly Type[]) => {
  const served = new Set(parts.flatMap((part) => servedEndpoints(part)).map(({ name }) => name));
  return notBuilt(ENDPOINTS.filter(({ name, at }) => at.includes(base) && !served.has(name)));
};

const catalogueOf = (view: FieldTypesView, fields: ContactFields): Catalogue => ({
  isRequestable: (type) => view.types.isRequestable(type),
  fieldsOf: (owner_user_id) => fields.of(owner_user_id),
});

/** Services ask the registry; as they stand side by side, they meet here. */
@Global()
@Module({
  imports: [RegionRegistry],
  providers: [{ provide: CATALOGUE, useFactory: catalogueOf, inject: [FieldTypesView, ContactFields] }],
  exports: [CATALOGUE],
})
class RegionCatalogue {}

/** Drains and customers write as everybody does, on connections of their own. */
const writesOn = (db: DataSource) => (bus: Bus, bases: Bases, here: Here) => new Home(db, bus, bases, here);

const FRONT_DOOR_PARTS = [
  FrontDoorRegions,
  FrontDoorIdentity,
  FrontDoorClients,
  FrontDoorTokens,
  SignInModule,
  DiscoveryModule,
  FrontDoorMoves,
  FrontDoorRegistry,
];
const REGION_PARTS = [
  RegionRegions,
  RegionClients,
  RegionTokens,
  RegionMoves,
  RegionRegistry,
  RegionCatalogue,
  PeopleModule,
  ServicesModule,
  WebhooksModule,
  ConnectionsModule,
  FeedModule,
];

/** Sign-in, tokens and routing. Holds the registry of clients. */
@Module({ imports: FRONT_DOOR_PARTS, controllers: [remaining('front-door', FRONT_DOOR_PARTS)] })
export class FrontDoorModule {}

/** The Company Data Service API of one home region. */
@Module({ imports: REGION_PARTS, controllers: [remaining('region', REGION_PARTS)] })
export class RegionModule {}

/** Webhooks out, and mail to those whose webhooks do not take what is theirs. */
@Module({ imports: [WebhookDelivery, MailModule] })
export class DeliveryModule {}

/** Plugin calls out. It has no work until the plugins capability moves in. */
@Module({})
export class ForwarderModule {}

/** What a test brings of its own. */
export interface RoleOptions {
  clock?: Clock;
}

async function startFrontDoor(config: FrontDoorConfig, options: RoleOptions): Promise<RunningService> {
  const name = 'platform-front-door';
  return startService({
    name,
    config,
    ...options,
    async build({ bus, log }) {
      const db = await configuredDatabase(config, name);
      const followed = await follow(bus, log);
      const providers = [
        ...shared(config),
        ...followed.providers,
        { provide: HERE, useValue: { base: 'front-door' } },
        { provide: FRONT_DOOR_DB, useValue: db },
        { provide: API_DOCUMENT, useValue: apiDocument(config) },
        { provide: FIRST_PARTY_REDIRECTS, useValue: config.FIRST_PARTY_REDIRECTS ?? {} },
      ];
      const checks = { postgres: databaseAnswers(db), ...followed.checks };
      return { module: FrontDoorModule, providers, listen: listenAt(config), checks, close: () => db.destroy() };
    },
  });
}

async function startRegion(config: RegionConfig, options: RoleOptions): Promise<RunningService> {
  const name = `platform-region-${config.REGION}`;
  return startService({
    name,
    config,
    ...options,
    async build({ bus, log }) {
      const db = await configuredDatabase(config, name);
      const drains = await configuredDatabase({ ...config, DATABASE_POOL: DRAINS_AT_ONCE }, `${name}-drains`);
      const customers = await configuredDatabase({ ...config, DATABASE_POOL: CUSTOMER_WRITES_AT_ONCE }, `${name}-customers`);
      const followed = await follow(bus, log);
      const fieldTypeRows = await ProjectionReader.open(bus, FIELD_TYPES, log);
      const providers = [
        ...shared(config),
        ...followed.providers,
        { provide: HERE, useValue: { base: 'region', region: config.REGION } },
        { provide: REGION_DB, useValue: db },
        { provide: DRAIN_WRITES, useFactory: writesOn(drains), inject: [Bus, BASES, HERE] },
        { provide: SLOTS, useValue: new ConnectionSlots(db) },
        { provide: GIVEN_ANSWERS, useValue: givenAnswers },
        { provide: CUSTOMER_WRITES, useFactory: writesOn(customers), inject: [Bus, BASES, HERE] },
        { provide: FIELD_TYPE_ROWS, useValue: fieldTypeRows },
        { provide: STORED_SECRETS, useValue: new StoredSecrets(Buffer.from(config.STORED_SECRETS_KEY, 'base64')) },
      ];
      const checks = { postgres: databaseAnswers(db), ...followed.checks, 'field types': isFollowed(fieldTypeRows) };
      return {
        module: RegionModule,
        providers,
        parameters: { region: config.REGION },
        listen: listenAt(config),
        checks,
        close: async () => void (await Promise.all([db, drains, customers].map((pool) => pool.destroy()))),
      };
    },
  });
}

async function startDelivery(config: DeliveryConfig, options: RoleOptions): Promise<RunningService> {
  const name = 'platform-delivery';
  refuseLoopback(config);
  const relay = relayOf(config);
  return startService({
    name,
    config,
    ...options,
    async build({ bus, log }) {
      const regions = await Promise.all(
        Object.entries(config.DATABASES).map(([region, database]) => deliveryRegion(region, database, config)),
      );
      const modes = await ProjectionReader.open(bus, MODES, log);
      const providers = [
        { provide: DELIVERY_REGIONS, useValue: regions },
        { provide: MAIL_REGIONS, useValue: regions },
        { provide: RELAY, useValue: relay },
        { provide: MODE_ROWS, useValue: modes },
        { provide: STORED_SECRETS, useValue: new StoredSecrets(Buffer.from(config.STORED_SECRETS_KEY, 'base64')) },
        { provide: OUTBOUND, useValue: new Outbound({ loopback: config.LOOPBACK_TARGETS === 'allowed' }) },
      ];
      const answering = regions.map(({ region, db }) => [`postgres-${region}`, databaseAnswers(db)] as const);
      const checks = { ...Object.fromEntries(answering), modes: isFollowed(modes), mail: () => (relay ? relay.note : NO_RELAY) };
      return {
        module: DeliveryModule,
        providers,
        parameters: { region: regions.map(({ region }) => region) },
        checks,
        close: async () => void (await Promise.all(regions.map(({ db }) => db.destroy()))),
      };
    },
  });
}

async function deliveryRegion(
  region: string,
  database: DeliveryConfig['DATABASES'][string],
  config: DeliveryConfig,
): Promise<DeliveryRegion> {
  const { DATABASE_POOL: pool, CONNECT_SECONDS: connectSeconds } = config;
  const db = await openDatabase({ ...database, name: `platform-delivery-${region}`, pool, connectSeconds });
  return { region, db, slots: new ConnectionSlots(db) };
}

function refuseLoopback({ LOOPBACK_TARGETS, NODE_ENV }: DeliveryConfig): void {
  if (LOOPBACK_TARGETS === 'allowed' && NODE_ENV === 'production')
    throw new ConfigFault(['LOOPBACK_TARGETS: allowed is for development; in production webhooks go to public addresses alone']);
}

/** Where mail is handed over; null when there is no relay. */
function relayOf({ MAIL_URL, MAIL_PASSWORD, MAIL_FROM }: DeliveryConfig): Relay | null {
  if (!MAIL_URL) return null;
  if (!MAIL_FROM) throw new ConfigFault(['MAIL_FROM: not set; give the address that mail comes from, or leave out MAIL_URL']);
  const address = relayAddress(MAIL_URL, MAIL_PASSWORD);
  if (address.auth?.pass === '')
    throw new ConfigFault(['MAIL_PASSWORD: not set; MAIL_URL names a user, so give MAIL_PASSWORD or MAIL_PASSWORD_FILE']);
  return new Relay(address, MAIL_FROM);
}

const NO_RELAY = { note: 'without MAIL_URL nobody gets a mail; alerts are in the logs of services alone' };

const startForwarder = (config: ForwarderConfig, options: RoleOptions): Promise<RunningService> =>
  startService({ name: 'platform-forwarder', config, ...options, build: async () => ({ module: ForwarderModule }) });

const role = <S extends z.ZodObject>(schema: S, start: (config: z.output<S>, options: RoleOptions) => Promise<RunningService>) => ({
  schema,
  /** Starts the role on the environment; several roles in one process read their own variables by prefix. */
  start: (env: NodeJS.ProcessEnv, prefix: string, options: RoleOptions = {}) => start(readConfig(schema, env, prefix), options),
});

/** One code base, several roles: Kubernetes gives each Deployment its own. */
export const ROLES = {
  'front-door': role(FrontDoorConfig, startFrontDoor),
  region: role(RegionConfig, startRegion),
  delivery: role(DeliveryConfig, startDelivery),
  forwarder: role(ForwarderConfig, startForwarder),
} satisfies Record<RoleName, unknown>;

export const prefixOf = (name: RoleName): string => `${name.replace('-', '_').toUpperCase()}_`;

type BaseConfig = FrontDoorConfig | RegionConfig;

/** What both bases stand on. */
const shared = ({ FRONT_DOOR_URL, REGIONS, TOKEN_SIGNING_KEY, CLIENT_SECRET_PEPPER, ...config }: BaseConfig): Provider[] => [
  { provide: BASES, useValue: { front_door_url: FRONT_DOOR_URL, regions: REGIONS } },
  { provide: SIGNING_KEY, useValue: readSigningKey(TOKEN_SIGNING_KEY) },
  { provide: PEPPER, useValue: { id: '1', key: Buffer.from(CLIENT_SECRET_PEPPER, 'base64') } },
  { provide: LIMITS, useValue: limitsOf(config.RATE_LIMITS) },
];

/** The API as it is served today, at all bases. */
const apiDocument = ({ FRONT_DOOR_URL, REGIONS }: BaseConfig) =>
  openapi(
    [FrontDoorModule, RegionModule].flatMap((role) => servedEndpoints(role)),
    {
      title: 'Company Data Service',
      version: '1',
      servers: [FRONT_DOOR_URL, ...REGIONS.map(({ api_url }) => api_url)],
    },
  );

/** The default buckets, with those that were configured in their place. */
const limitsOf = (own: BaseConfig['RATE_LIMITS'] = {}) =>
  Object.fromEntries(Object.entries(RATE_LIMITS).map(([name, bucket]) => [name, { ...bucket, ...own[name as keyof typeof own] }]));

const listenAt = ({ HOST, PORT, TRUST_PROXY }: BaseConfig) => ({ host: HOST, port: PORT, trustProxy: TRUST_PROXY });

/** What both bases follow of the front door's tables. */
async function follow(bus: Bus, log: Log) {
  const [modes, ended, clients] = await Promise.all([
    ProjectionReader.open(bus, MODES, log),
    ProjectionReader.open(bus, REVOCATIONS, log),
    ProjectionReader.open(bus, CLIENTS, log),
  ]);
  return {
    providers: [
      { provide: MODE_ROWS, useValue: modes },
      { provide: REVOCATION_ROWS, useValue: ended },
      { provide: CLIENT_ROWS, useValue: clients },
    ],
    checks: { modes: isFollowed(modes), sessions: isFollowed(ended), clients: isFollowed(clients) },
  };
}

/** On a lost bus the last state is kept; whoever stands on an old one is not ready. */
const isFollowed = (rows: { isFollowing: boolean }) => () => (rows.isFollowing ? null : 'the front door is no longer followed');
