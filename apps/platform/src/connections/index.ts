export { faultOf } from './answers.ts';
export { ConnectionsModule } from './connections.module.ts';
export { CUSTOMER_WRITES, CUSTOMER_WRITES_AT_ONCE, Customers } from './customers.service.ts';
export { givenAnswers } from './given-answers.store.ts';
export { RegionRouter } from './region-router.service.ts';
export { ConnectionSlots } from './slots.service.ts';
export { listSources, putSource, removeSource, verifySource, weighSources, type SourceRow } from './sources.store.ts';
