export * from './acts.ts';
export * as auditLog from './endpoints.ts';
export { LOG_PAGE, LOGS_OF_BASE } from './endpoints.ts';
export * from './subjects.ts';
