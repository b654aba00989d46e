import { Fault, UsageFault } from '@cds/command-line';
import { databaseConfig, postgresUrl, readConfig } from '@cds/runtime/config';
import type { DatabaseAddress } from '@cds/runtime/db';
import { DATABASES, isSchemaKind, type RunningStack, type SchemaKind } from '@cds/stack';
import { z } from 'zod';
import { addressIn } from './address.ts';

/** A database of an installation, as its owner reaches it. */
export interface OwnedDatabase {
  /** `front-door`, `region-eu`, `feed-consumer`, `flows`, `twofa`. */
  name: string;
  kind: SchemaKind;
  owner: DatabaseAddress;
  /** The role of the delivery, for the database of a region. */
  deliveryRole?: string;
}

/** What an operator of databases works with. */
export interface Installed {
  databases: readonly OwnedDatabase[];
  /** Of a role that may create databases; only for what needs one. */
  adminUrl?: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

const VARIABLE = /^(FRONT_DOOR|REGION_[A-Z0-9_]+|FEED_CONSUMER|FLOWS|TWOFA)_DATABASE_URL(_FILE)?$/;
const NAMED_BY = 'FRONT_DOOR_DATABASE_URL, REGION_EU_DATABASE_URL, FEED_CONSUMER_DATABASE_URL, FLOWS_DATABASE_URL or TWOFA_DATABASE_URL';

export const namesDatabases = (env: Env): boolean => prefixesIn(env).length > 0;

/** The databases that variables name, each with its own prefix; what all share, as DATABASE_CA, may be given without. */
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

/** The databases of npm start, on the Postgres that it runs. */
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

/** By convention the role of the delivery is called after the database. */
export function owned(name: string, owner: DatabaseAddress, deliveryRole?: string): OwnedDatabase {
  const kind = name.startsWith('region-') ? 'region' : name;
  if (!isSchemaKind(kind)) throw new Fault(`There is no database '${name}': name them by ${NAMED_BY}.`);
  return { name, kind, owner, ...(kind === 'region' && { deliveryRole: deliveryRole ?? `${databaseIn(owner)}_delivery` }) };
}

/** The name that a database has on its server. */
export const databaseIn = ({ url }: DatabaseAddress): string => decodeURIComponent(new URL(url).pathname.slice(1));

/** The same server and role, with another database. */
export function withDatabase(address: DatabaseAddress, database: string): DatabaseAddress {
  const url = new URL(address.url);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { ...address, url: url.href };
}

/** Those that words name; all where there are none. */
export function chosen({ databases }: Installed, names: readonly string[]): readonly OwnedDatabase[] {
  return names.length === 0 ? databases : names.map((name) => find({ databases }, name));
}

export function find({ databases }: Installed, name: string): OwnedDatabase {
  const found = databases.find((one) => one.name === name);
  if (!found) throw new UsageFault(`A database is one of ${databases.map((one) => one.name).join(', ')}, not '${name}'.`);
  return found;
}
