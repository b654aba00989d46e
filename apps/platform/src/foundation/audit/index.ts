export { asOperator, Audit } from './audit.service.ts';
export { doneSince, lastPosition, mayRaiseEpoch, raiseEpoch, timeOfLast } from './audit.store.ts';
export { AUDIT } from './capability.ts';
export { RESTORE_MARKS } from './restore-mark.ts';
export { isRestored, refuseRestored } from './restored-database.service.ts';
export { OPERATOR_INITIATOR, PLATFORM_INITIATOR, type AuditDetails } from './entry.ts';
