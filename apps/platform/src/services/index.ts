export { CATALOGUE, type Catalogue } from './catalogue.ts';
export { ServicesModule } from './services.module.ts';
export { writeLog, type Logged, type LogKind } from './log.store.ts';
export type { OwnService, ServiceRow } from './service-row.ts';
export { findService, lockService } from './services.store.ts';
