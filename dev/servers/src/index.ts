/** Postgres and NATS for development and tests, on a machine that has only Node and npm. */
export { aptDownload } from './apt-download.ts';
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
export { command, type CommandResult } from './command.ts';
export { chosenDriver } from './containers.ts';
export { downloadsFolder } from './downloads-folder.ts';
export { externalInfra } from './external.ts';
export { freePort } from './free-port.ts';
export { launchNats, type NatsServer } from './nats-command.ts';
export { natsConfigFile, type NatsAccount, type NatsConfig } from './nats-config.ts';
export { onPath } from './nats-binary.ts';
export { findNatsServer, type NatsSource } from './nats-server.ts';
export { clusterOf, startNatsNodes } from './nats-cluster.ts';
export { startNats, type Nats, type NatsOptions } from './nats.ts';
export { postgresFolder } from './postgres-folder.ts';
export { startPostgres, type Postgres, type PostgresOptions } from './postgres.ts';
export type { Progress } from './progress.ts';
export type { RunningServer } from './running-server.ts';
