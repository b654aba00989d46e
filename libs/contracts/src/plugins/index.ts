export * from './description.ts';
export * as plugins from './endpoints.ts';
export { pluginsExamples } from './examples.ts';
export * from './limits.ts';
export * from './shapes.ts';
export * from './subjects.ts';
