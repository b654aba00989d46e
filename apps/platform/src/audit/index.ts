export { asOperator, Audit } from './audit.service.ts';
export { AUDIT } from './capability.ts';
export { OPERATOR_INITIATOR, PLATFORM_INITIATOR, type AuditedAct, type RefusedAct } from './entry.ts';
