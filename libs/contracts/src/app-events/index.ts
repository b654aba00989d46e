export * as appEvents from './endpoints.ts';
export * from './events.ts';
export { appEventsExamples } from './examples.ts';
export * from './limits.ts';
export * from './subjects.ts';
