export * from './limits.ts';
export * from './subjects.ts';
