export * as webhooks from './endpoints.ts';
export { webhooksExamples } from './examples.ts';
export * from './limits.ts';
export * from './shapes.ts';
export * from './subjects.ts';
