export { CATALOGUE, type Catalogue } from './catalogue.ts';
export { configToken } from './config-token.ts';
export { listRequestFields, type OwnRequestField } from './request-fields.store.ts';
export { ServicesModule } from './services.module.ts';
export { writeLog, writeLogs, type Logged, type LogKind } from './log.store.ts';
export type { OwnService, ServiceRow } from './service-row.ts';
export { findService, findServiceByCode, holdService, lockService } from './services.store.ts';
