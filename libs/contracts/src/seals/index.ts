export * as seals from './endpoints.ts';
export { sealsExamples } from './examples.ts';
export * from './shapes.ts';
export * from './subjects.ts';
