export * from './acts.ts';
