export * from './collapse.ts';
export * as customerFeed from './customer-endpoints.ts';
export * from './customer-event.ts';
export * from './customer-subjects.ts';
export * as feed from './endpoints.ts';
export * from './event-names.ts';
export { feedExamples } from './examples.ts';
export * from './feed-event.ts';
export * from './limits.ts';
