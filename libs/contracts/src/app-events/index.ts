export * from './events.ts';
export * from './limits.ts';
export * from './subjects.ts';
