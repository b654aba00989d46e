export * as tokens from './endpoints.ts';
export { tokensExamples } from './examples.ts';
export * from './limits.ts';
export * from './shapes.ts';
export * from './subjects.ts';
