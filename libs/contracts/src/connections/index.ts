export * as connectRequests from './connect-request-endpoints.ts';
export * as customer from './customer-endpoints.ts';
export * from './customer-shapes.ts';
export * as connections from './endpoints.ts';
export * from './events.ts';
export { connectionsExamples } from './examples.ts';
export * from './limits.ts';
export * from './shapes.ts';
export * from './subjects.ts';
