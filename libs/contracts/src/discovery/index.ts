export * as discovery from './endpoints.ts';
export { discoveryExamples } from './examples.ts';
