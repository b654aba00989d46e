export * from './acts.ts';
export * as auditLog from './endpoints.ts';
export { LOG_PAGE } from './endpoints.ts';
export * from './subjects.ts';
