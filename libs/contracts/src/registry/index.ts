export * as registry from './endpoints.ts';
export { registryExamples } from './examples.ts';
export * from './limits.ts';
export * from './shapes.ts';
export * from './subjects.ts';
