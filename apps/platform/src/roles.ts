import { Module, type Provider } from '@nestjs/common';
import type { z } from 'zod';
import { ProjectionReader } from '@cds/runtime/bus';
import type { Clock } from '@cds/runtime/clock';
import { readConfig } from '@cds/runtime/config';
import { configuredDatabase, databaseAnswers, openDatabase } from '@cds/runtime/db';
import { startService, type RunningService } from '@cds/runtime/service';
import { BASES, CLIENT_ROWS, CLIENTS, FrontDoorAccess, HERE, PEPPER, readSigningKey, RegionAccess, SIGNING_KEY } from './access/index.ts';
import { DeliveryConfig, ForwarderConfig, FrontDoorConfig, RegionConfig, type RoleName } from './config.ts';
import { FRONT_DOOR_DB, REGION_DB } from './databases.ts';
import { ServicesModule } from './services/index.ts';

/** Sign-in, tokens and routing. Holds the registry of clients. */
@Module({ imports: [FrontDoorAccess] })
export class FrontDoorModule {}

/** The Company Data Service API of one home region. */
@Module({ imports: [RegionAccess, ServicesModule] })
export class RegionModule {}

/** Webhooks out. It has no work until the webhooks capability moves in. */
@Module({})
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
    name, config, ...options,
    async build() {
      const db = await configuredDatabase(config, name);
      const pepper = { id: '1', key: Buffer.from(config.CLIENT_SECRET_PEPPER, 'base64') };
      const given = [...shared(config), { provide: HERE, useValue: { base: 'front-door' } }, { provide: FRONT_DOOR_DB, useValue: db }, { provide: PEPPER, useValue: pepper }];
      return { module: FrontDoorModule, given, listen: { host: config.HOST, port: config.PORT }, checks: { postgres: databaseAnswers(db) }, close: () => db.destroy() };
    },
  });
}

async function startRegion(config: RegionConfig, options: RoleOptions): Promise<RunningService> {
  const name = `platform-region-${config.REGION}`;
  return startService({
    name, config, ...options,
    async build({ bus, log }) {
      const db = await configuredDatabase(config, name);
      const clientRows = await ProjectionReader.open(bus, CLIENTS, log);
      const given = [...shared(config), { provide: HERE, useValue: { base: 'region', region: config.REGION } }, { provide: REGION_DB, useValue: db }, { provide: CLIENT_ROWS, useValue: clientRows }];
      const checks = { postgres: databaseAnswers(db), clients: () => (clientRows.isFollowing ? null : 'the client registry is no longer followed') };
      return { module: RegionModule, given, listen: { host: config.HOST, port: config.PORT }, checks, close: () => db.destroy() };
    },
  });
}

async function startDelivery(config: DeliveryConfig, options: RoleOptions): Promise<RunningService> {
  const name = 'platform-delivery';
  return startService({
    name, config, ...options,
    async build() {
      const opened = await Promise.all(Object.entries(config.DATABASES).map(async ([region, database]) => ({ region, db: await openDatabase({ ...database, name: `${name}-${region}`, pool: config.DATABASE_POOL, connectSeconds: config.CONNECT_SECONDS }) })));
      const checks = Object.fromEntries(opened.map(({ region, db }) => [`postgres-${region}`, databaseAnswers(db)]));
      return { module: DeliveryModule, checks, close: async () => void (await Promise.all(opened.map(({ db }) => db.destroy()))) };
    },
  });
}

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

interface BaseConfig {
  FRONT_DOOR_URL: string;
  REGIONS: { region: string; api_url: string }[];
  TOKEN_SIGNING_KEY: string;
}

/** What both bases stand on. */
const shared = ({ FRONT_DOOR_URL, REGIONS, TOKEN_SIGNING_KEY }: BaseConfig): Provider[] => [
  { provide: BASES, useValue: { front_door_url: FRONT_DOOR_URL, regions: REGIONS } },
  { provide: SIGNING_KEY, useValue: readSigningKey(TOKEN_SIGNING_KEY) },
];
