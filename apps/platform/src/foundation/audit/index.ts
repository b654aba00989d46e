export { asOperator, Audit, AUDIT_DB } from './audit.service.ts';
export { BEGINNING, type AuditPosition } from './cursor.ts';
export { presentEntry } from './present-entry.ts';
export { doneSince, entriesAfter, lastPosition, mayRaiseEpoch, raiseEpoch, timeOfLast } from './audit.store.ts';
export { AUDIT } from './capability.ts';
export { RESTORE_MARKS } from './restore-mark.ts';
export { isRestored, refuseRestored } from './restored-database.service.ts';
export { OPERATOR_INITIATOR, PLATFORM_INITIATOR, type AuditDetails } from './entry.ts';
