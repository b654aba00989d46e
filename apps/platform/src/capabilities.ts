import type { ProjectionShape } from '@codase/runtime/bus';
import { tableOf, type Entity, type Migration } from '@codase/runtime/db';
import type { Metric } from '@codase/runtime/telemetry';
import type { z } from 'zod';
import { ACCOUNT_CHANGES } from './access/account-changes/index.ts';
import { ACCOUNT_DELETION } from './accounts/account-deletion/index.ts';
import { APP_EVENTS } from './foundation/app-events/index.ts';
import { AUDIT } from './foundation/audit/index.ts';
import type { Capability } from './kit/capability.ts';
import { CHALLENGES } from './sharing/challenges/index.ts';
import { CLIENT_REGISTRY } from './access/clients/index.ts';
import { CONNECT_REQUESTS_CAPABILITY } from './sharing/connect-requests/index.ts';
import { CONNECTIONS } from './sharing/connections/index.ts';
import { DEVICES } from './access/devices/index.ts';
import { DELEGATES_CAPABILITY } from './sharing/delegates/index.ts';
import { DISCOVERY } from './access/discovery/index.ts';
import { DOCUMENTS } from './agreements/documents/index.ts';
import { FEED } from './services/feed/index.ts';
import { FILES } from './storage/files/index.ts';
import { FLOW_RUNS } from './agreements/runs/index.ts';
import { FLOWS } from './services/flows/index.ts';
import { IDENTITY } from './access/identity/index.ts';
import { ACCOUNT_MAIL } from './access/account-mail/index.ts';
import type { LogKind } from './kit/log-kinds.ts';
import { MAIL } from './services/mail/index.ts';
import { MESSAGES } from './sharing/messages/index.ts';
import { METRICS } from './kit/metrics.ts';
import { MOVES, MovedTables, type MovedTable } from './storage/moves/index.ts';
import { PEERS } from './foundation/peers/index.ts';
import { PEOPLE } from './sharing/people/index.ts';
import { PHOTOS } from './sharing/photos/index.ts';
import { TRANSPARENCY } from './access/transparency/index.ts';
import { PHONES } from './access/phones/index.ts';
import { PLUGINS } from './services/plugins/index.ts';
import { RECOVERY } from './accounts/recovery/index.ts';
import { REGIONS } from './foundation/regions/index.ts';
import { REGISTRY } from './services/registry/index.ts';
import { SEALS } from './services/seals/index.ts';
import { SECOND_FACTOR } from './access/second-factor/index.ts';
import { SERVICES } from './services/services/index.ts';
import { SIGN_IN_APPS } from './accounts/sign-in-apps/index.ts';
import { SIGN_IN } from './accounts/sign-in/index.ts';
import { TOKENS } from './access/tokens/index.ts';
import { VERIFICATION } from './sharing/verification/index.ts';
import { VERIFICATION_PROVIDERS } from './services/verification-providers/index.ts';
import { WEBHOOKS } from './services/webhooks/index.ts';

/** All capabilities. The rows of a company are copied in this order when it moves, so a table that others refer to comes before them. */
export const CAPABILITIES: readonly Capability[] = [
  REGIONS,
  PEERS,
  APP_EVENTS,
  ACCOUNT_MAIL,
  IDENTITY,
  CLIENT_REGISTRY,
  TOKENS,
  ACCOUNT_CHANGES,
  SECOND_FACTOR,
  PHONES,
  TRANSPARENCY,
  DEVICES,
  SIGN_IN,
  DISCOVERY,
  MOVES,
  REGISTRY,
  VERIFICATION_PROVIDERS,
  SERVICES,
  RECOVERY,
  WEBHOOKS,
  FLOWS,
  PLUGINS,
  SIGN_IN_APPS,
  MAIL,
  FILES,
  CONNECTIONS,
  CHALLENGES,
  SEALS,
  DOCUMENTS,
  FLOW_RUNS,
  MESSAGES,
  CONNECT_REQUESTS_CAPABILITY,
  DELEGATES_CAPABILITY,
  PEOPLE,
  VERIFICATION,
  PHOTOS,
  ACCOUNT_DELETION,
  FEED,
  AUDIT,
];

const regionTables = CAPABILITIES.flatMap(({ tables }) => tables?.region ?? []);

/** The tables of each database of the platform. */
export const FRONT_DOOR_ENTITIES: readonly Entity[] = CAPABILITIES.flatMap(({ tables }) => tables?.frontDoor ?? []);
export const REGION_ENTITIES: readonly Entity[] = regionTables.map(({ entity }) => entity);

export const MOVED_TABLES = new MovedTables(
  regionTables.flatMap((one): MovedTable[] => ('moves' in one ? [{ table: tableOf(one.entity), ...one.moves }] : [])),
);

/** Tables of a region that stay where they are, each with the reason. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  migrations: 'of the database itself',
  ...Object.fromEntries(regionTables.flatMap((one) => ('stays' in one ? [[tableOf(one.entity), one.stays]] : []))),
};

/** Returns each migration once, sorted by the time in its name: databases run migrations in this order. */
const inOrder = (migrations: readonly Migration[]): Migration[] =>
  [...new Set(migrations)].toSorted((one, other) => timeOf(one) - timeOf(other));
const timeOf = ({ name }: Migration) => Number(/\d{13}$/.exec(name)![0]);

export const FRONT_DOOR_MIGRATIONS = inOrder(CAPABILITIES.flatMap(({ migrations }) => migrations?.frontDoor ?? []));
export const REGION_MIGRATIONS = inOrder(CAPABILITIES.flatMap(({ migrations }) => migrations?.region ?? []));

/** Everything that the platform counts and measures, by the names that dashboards and alerts use. */
export const PLATFORM_METRICS: readonly Metric[] = [METRICS, ...CAPABILITIES.map(({ metrics = {} }) => metrics)].flatMap((declared) =>
  Object.values<Metric>(declared),
);

/** The same metrics by name. Their counters begin at 0. */
export const PLATFORM_COUNTERS: Readonly<Record<string, Metric>> = Object.fromEntries(
  PLATFORM_METRICS.map((metric) => [metric.name, metric]),
);

/** Every kind of entry in the log of a service. */
export const PLATFORM_LOG_KINDS: readonly LogKind[] = CAPABILITIES.flatMap(({ logKinds = {} }) => Object.values(logKinds));

/** The tables of the front door that regions keep replicas of. */
export const PUBLISHED_TABLES: readonly ProjectionShape<z.ZodType>[] = CAPABILITIES.flatMap(({ publishes = [] }) => publishes);
