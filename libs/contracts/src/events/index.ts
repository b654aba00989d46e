export * from './collapse.ts';
export * from './customer-event.ts';
export * from './feed-event.ts';
export * from './names.ts';
