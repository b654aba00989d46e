export * from './endpoint.ts';
export * from './endpoints/index.ts';
export * from './errors.ts';
export * from './fails.ts';
export * from './limits.ts';
export * from './refusal.ts';
export * from './region.ts';
export * from './subjects.ts';
