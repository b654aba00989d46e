export { ConnectionsModule } from './connections.module.ts';
export { Customers } from './customers.service.ts';
export { SharingRegions } from './sharing-regions.service.ts';
export { ConnectionSlots } from './slots.service.ts';
export { listSources, putSource, removeSource, verifySource, weighSources, type SourceRow } from './sources.store.ts';
