export { faultOf } from './answers.ts';
export { CONNECTIONS } from './capability.ts';
export { FieldChanges } from './field-changes.service.ts';
export { ConnectionSlots } from './slots.store.ts';
export { listSources, putSource, removeSource, verifySource, weighSources, type SourceRow } from './sources.store.ts';
