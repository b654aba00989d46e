export * as customerMessages from './customer-endpoints.ts';
export * as messages from './endpoints.ts';
export * from './events.ts';
export { messagesExamples } from './examples.ts';
export * from './limits.ts';
export * as personMessages from './person-endpoints.ts';
export * from './shapes.ts';
export * from './subjects.ts';
