export { faultOf } from './answers.ts';
export { CONNECTIONS } from './capability.ts';
export { Customers } from './customers.service.ts';
export { RegionRouter } from './region-router.service.ts';
export { ConnectionSlots } from './slots.store.ts';
export { listSources, putSource, removeSource, verifySource, weighSources, type SourceRow } from './sources.store.ts';
