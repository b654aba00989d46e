export * as regions from './endpoints.ts';
export { regionsExamples } from './examples.ts';
export * from './subjects.ts';
