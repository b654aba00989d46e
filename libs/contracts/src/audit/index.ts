export * from './acts.ts';
export * from './subjects.ts';
