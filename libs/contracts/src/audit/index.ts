export * from './acts.ts';
export * as auditLog from './endpoints.ts';
export { KEY_KINDS, LOG_PAGE, LOGS_OF_BASE, type KeyProof, type ReadKey } from './endpoints.ts';
export * from './subjects.ts';
