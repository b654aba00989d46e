export { busAddress } from './bus-address.ts';
export { LiveVariable, type LiveKeys } from './live-variable.ts';
export { migrateConfig, prepareConfig } from './operator-programs.ts';
export { OperatorFault } from '../operator-fault.ts';
export { tlsFaultOf } from '../tls-fault.ts';
export { ConfigFault, liveText, readConfig, sourceOf } from './read-config.ts';
export { isProduction, nodeEnv, type NodeEnv } from './node-env.ts';
export { clearTextFaults, isLoopback, refuseClearText } from './clear-text.ts';
export {
  commaList,
  databaseConfig,
  httpServerConfig,
  httpUrl,
  json,
  natsUrl,
  network,
  pem,
  port,
  postgresUrl,
  seconds,
  serviceConfig,
  tlsHandshake,
  type HttpServerConfig,
  type ServiceConfig,
} from './variables.ts';
