import type { ProjectionShape } from '@cds/runtime/bus';
import type { Migration } from '@cds/runtime/db';
import type { Metric } from '@cds/runtime/telemetry';
import type { z } from 'zod';
import { ACCOUNT_CHANGES } from './account-changes/index.ts';
import { ACCOUNT_DELETION } from './account-deletion/index.ts';
import { APP_EVENTS } from './app-events/index.ts';
import { AUDIT } from './audit/index.ts';
import type { Capability } from './capability.ts';
import { CHALLENGES } from './challenges/index.ts';
import { CLIENT_REGISTRY } from './clients/index.ts';
import { CONNECT_REQUESTS_CAPABILITY } from './connect-requests/index.ts';
import { CONNECTIONS } from './connections/index.ts';
import { DELEGATES_CAPABILITY } from './delegates/index.ts';
import { DISCOVERY } from './discovery/index.ts';
import { DOCUMENTS } from './documents/index.ts';
import { FEED } from './feed/index.ts';
import { FILES } from './files/index.ts';
import { FLOW_RUNS } from './flow-runs/index.ts';
import { FLOWS } from './flows/index.ts';
import { IDENTITY } from './identity/index.ts';
import { ACCOUNT_MAIL } from './account-mail/index.ts';
import type { LogKind } from './log-kinds.ts';
import { MAIL } from './mail/index.ts';
import { MESSAGES } from './messages/index.ts';
import { METRICS } from './metrics.ts';
import { MOVES, MovedTables, type MovedTable } from './moves/index.ts';
import { PEOPLE } from './people/index.ts';
import { PHOTOS } from './photos/index.ts';
import { PHONES } from './phones/index.ts';
import { PLUGINS } from './plugins/index.ts';
import { RECOVERY } from './recovery/index.ts';
import { REGIONS } from './regions/index.ts';
import { REGISTRY } from './registry/index.ts';
import { SEALS } from './seals/index.ts';
import { SECOND_FACTOR } from './second-factor/index.ts';
import { SERVICES } from './services/index.ts';
import { SIGN_IN_APPS } from './sign-in-apps/index.ts';
import { SIGN_IN } from './sign-in/index.ts';
import { TOKENS } from './tokens/index.ts';
import { WEBHOOKS } from './webhooks/index.ts';

/** All capabilities. The rows of a company are copied in this order when it moves, so a table that others refer to comes before them. */
export const CAPABILITIES: readonly Capability[] = [
  REGIONS,
  APP_EVENTS,
  ACCOUNT_MAIL,
  IDENTITY,
  CLIENT_REGISTRY,
  TOKENS,
  ACCOUNT_CHANGES,
  SECOND_FACTOR,
  PHONES,
  SIGN_IN,
  DISCOVERY,
  MOVES,
  REGISTRY,
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
  PHOTOS,
  ACCOUNT_DELETION,
  FEED,
  AUDIT,
];

const regionTables = CAPABILITIES.flatMap(({ tables }) => Object.entries(tables?.region ?? {}));

export const MOVED_TABLES = new MovedTables(
  regionTables.flatMap(([table, kind]): MovedTable[] => ('moves' in kind ? [{ table, ...kind.moves }] : [])),
);

/** Tables of a region that stay where they are, each with the reason. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  migrations: 'of the database itself',
  ...Object.fromEntries(regionTables.flatMap(([table, kind]) => ('stays' in kind ? [[table, kind.stays]] : []))),
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
