export { LiveVariable, type LiveKeys } from './live-variable.ts';
export { ConfigFault, readConfig } from './read-config.ts';
export { databaseConfig, httpUrl, json, natsUrl, port, postgresUrl, seconds, serviceConfig, type ServiceConfig } from './pieces.ts';
