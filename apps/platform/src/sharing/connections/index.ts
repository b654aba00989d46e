export { faultOf } from './answers.ts';
export { CONNECTIONS } from './capability.ts';
export {
  CONNECTION_BEGINS,
  CONNECTION_ENDS,
  CONNECTION_MAY_END,
  OUTLASTS_CONNECTIONS,
  type ConnectionBegins,
  type ConnectionEnds,
  type ConnectionMayEnd,
  type OutlastsConnections,
} from './connections.hook.ts';
export { ConnectionAnswers, type GatheredAnswer } from './connection-answers.service.ts';
export { ConnectionOperations } from './connection-operations.service.ts';
export type { ConnectionRow } from './connection-row.ts';
export {
  findById,
  findConnection,
  findConnections,
  findOfCustomer,
  holdConnection,
  holdConnectionWith,
  holdConnectionWithCode,
  holdCustomers,
  lockConnection,
  lockConnections,
} from './connections.store.ts';
export { CONNECTION_SEARCH, isNotedCompany } from './customer-companies.store.ts';
export { LOCK_WAIT_MS, unavailableWhenLocked, waitAtMost } from './customer-writes.store.ts';
export { Customers } from './customers.service.ts';
export { DeletedCustomers } from './deleted-customers.service.ts';
export { phoneEvents } from './events.ts';
export { FieldChanges } from './field-changes.service.ts';
export { servedFile } from './shared-file.ts';
export type { StoredFile } from './shared-files.store.ts';
export {
  bytesOfSources,
  findClearValue,
  findSourcePart,
  findSourceSize,
  findVerification,
  findVerified,
  forgetVerification,
  listEndedVerifications,
  listPublicSources,
  listSources,
  listVerifications,
  putSource,
  removeSource,
  verifySource,
  weighSources,
  type SourceRow,
  type VerifiedRow,
} from './sources.store.ts';
export { findSharedVerification, listAnswered } from './values.store.ts';
