/** Postgres and NATS for development and tests, on a machine that has only Node and npm. */
export { aptDownload, type AptDownload } from './apt-download.ts';
export {
  cloneDatabase,
  cloneDatabases,
  copyDatabaseInUse,
  createDatabase,
  createDatabaseLike,
  databaseUrl,
  dropDatabase,
  type DatabaseOptions,
  type DatabaseUrls,
} from './databases.ts';
export { command, type CommandOptions, type CommandResult } from './command.ts';
export { chosenDriver, type Driver } from './containers.ts';
export { downloadsFolder } from './downloads-folder.ts';
export { externalInfra, type ExternalInfra } from './external.ts';
export { freePort } from './free-port.ts';
export { launchNats, type NatsServer } from './nats-command.ts';
export { natsConfigFile, type NatsAccount, type NatsConfig, type NatsUser } from './nats-config.ts';
export { onPath } from './nats-binary.ts';
export { findNatsServer, NATS_SOURCES, type NatsSearch, type NatsSource } from './nats-server.ts';
export { clusterOf, startNatsNodes } from './nats-cluster.ts';
export { startNats, type Nats, type NatsOptions } from './nats.ts';
export { postgresFolder } from './postgres-folder.ts';
export { startPostgres, type Postgres, type PostgresOptions } from './postgres.ts';
export type { Progress } from './progress.ts';
export type { RunningServer } from './running-server.ts';
export { StartFailure, type StartFailureReason } from './start-failure.ts';
