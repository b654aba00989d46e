export * from './operation.ts';
export * from './subjects.ts';
