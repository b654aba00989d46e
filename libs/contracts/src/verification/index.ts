export * as verifications from './endpoints.ts';
export { verificationExamples } from './examples.ts';
export * from './limits.ts';
export * from './shapes.ts';
export * from './subjects.ts';
