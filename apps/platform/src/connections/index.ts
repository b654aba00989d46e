export { faultOf } from './answers.ts';
export { CONNECTIONS } from './capability.ts';
export { endConnection } from './connection-operations.service.ts';
export { lockById } from './connections.store.ts';
export { FieldChanges } from './field-changes.service.ts';
export { ConnectionSlots } from './slots.store.ts';
export { listSources, putSource, removeSource, verifySource, weighSources, type SourceRow } from './sources.store.ts';
