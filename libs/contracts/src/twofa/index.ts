export * as approvals from './approval-endpoints.ts';
export * as twofa from './endpoints.ts';
export * from './events.ts';
export { twofaExamples } from './examples.ts';
export * from './limits.ts';
export * from './region-subjects.ts';
export * from './shapes.ts';
export * from './subjects.ts';
