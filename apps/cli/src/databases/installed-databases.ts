import { Fault, UsageFault } from '@codase/command-line';
import { databaseConfig, postgresUrl, readConfig } from '@codase/runtime/config';
import type { DatabaseAddress } from '@codase/runtime/db';
import { DATABASES, isSchemaKind, type RunningStack, type SchemaKind } from '@codase/stack';
import { z } from 'zod';

/** A database of an installation, with the address for its owner. */
export interface OwnedDatabase {
  /** For example `front-door`, `region-eu`, `feed-consumer`, `flows` or `twofa`. */
  name: string;
  kind: SchemaKind;
  owner: DatabaseAddress;
  /** The database role of the delivery. Only the database of a region has one. */
  deliveryRole?: string;
}

export interface Installed {
  databases: readonly OwnedDatabase[];
  /** The URL for a role that may create databases. Only some commands need it. */
  adminUrl?: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

const VARIABLE = /^(FRONT_DOOR|REGION_[A-Z0-9_]+|FEED_CONSUMER|FLOWS|TWOFA)_DATABASE_URL(_FILE)?$/;
const NAMED_BY = 'FRONT_DOOR_DATABASE_URL, REGION_EU_DATABASE_URL, FEED_CONSUMER_DATABASE_URL, FLOWS_DATABASE_URL or TWOFA_DATABASE_URL';

export const namesDatabases = (env: Env): boolean => prefixesIn(env).length > 0;

/** Returns the databases that variables name, each with its own prefix. Variables that all share, such as DATABASE_CA, need no prefix. */
export function namedDatabases(env: Env): Installed {
  return { databases: prefixesIn(env).map((prefix) => named(env, prefix)), adminUrl: adminIn(env) };
}

const prefixesIn = (env: Env): string[] => [
  ...new Set(Object.keys(env).flatMap((variable) => (env[variable] && VARIABLE.exec(variable)?.[1]) || [])),
];

function named(env: Env, prefix: string): OwnedDatabase {
  const config = readConfig(databaseConfig.extend({ DELIVERY_ROLE: z.string().min(1).optional() }), env, `${prefix}_`);
  const name = prefix.toLowerCase().replaceAll('_', '-');
  return owned(name, addressIn(config), config.DELIVERY_ROLE);
}

const adminIn = (env: Env): string | undefined =>
  readConfig(z.object({ ADMIN_DATABASE_URL: postgresUrl.optional() }), env).ADMIN_DATABASE_URL;

/** Returns the databases of npm start, on the Postgres that it runs. */
export function stackDatabases({ ports, secrets }: RunningStack): Installed {
  if (!secrets.has('postgres/admin'))
    throw new Fault(`npm start uses a Postgres of yours: name its databases, as their owners, by ${NAMED_BY}.`);
  const url = (user: string, secret: string, database: string) =>
    `postgres://${user}:${encodeURIComponent(secrets.known(secret))}@127.0.0.1:${ports.postgres}/${database}`;
  const databases = DATABASES.map((database) =>
    owned(database.replace('_', '-'), { url: url(`${database}_owner`, `databases/${database}-owner`, database) }),
  );
  return { databases, adminUrl: url('postgres', 'postgres/admin', 'postgres') };
}

/** Returns a database by its name. By convention the role of the delivery is named after the database. */
export function owned(name: string, owner: DatabaseAddress, deliveryRole?: string): OwnedDatabase {
  const kind = name.startsWith('region-') ? 'region' : name;
  if (!isSchemaKind(kind)) throw new Fault(`There is no database '${name}': name them by ${NAMED_BY}.`);
  return { name, kind, owner, ...(kind === 'region' && { deliveryRole: deliveryRole ?? `${databaseIn(owner)}_delivery` }) };
}

/** Returns the name that a database has on its server. */
export const databaseIn = ({ url }: DatabaseAddress): string => decodeURIComponent(new URL(url).pathname.slice(1));

/** Returns the address of another database, with the same server and role. */
export function withDatabase(address: DatabaseAddress, database: string): DatabaseAddress {
  const url = new URL(address.url);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { ...address, url: url.href };
}

/** Returns the databases with these names, or all when no name is given. */
export function chosen({ databases }: Installed, names: readonly string[]): readonly OwnedDatabase[] {
  return names.length === 0 ? databases : names.map((name) => find({ databases }, name));
}

export function find({ databases }: Installed, name: string): OwnedDatabase {
  const found = databases.find((one) => one.name === name);
  if (!found) throw new UsageFault(`A database is one of ${databases.map((one) => one.name).join(', ')}, not '${name}'.`);
  return found;
}

/** Returns the address of the database that variables name. */
export const addressIn = (config: z.output<typeof databaseConfig>): DatabaseAddress => ({
  url: config.DATABASE_URL,
  ...(config.DATABASE_PASSWORD && { password: config.DATABASE_PASSWORD }),
  ...(config.DATABASE_CA && { ca: config.DATABASE_CA }),
  ...(config.DATABASE_CERT && { cert: config.DATABASE_CERT }),
  ...(config.DATABASE_KEY && { key: config.DATABASE_KEY }),
});
