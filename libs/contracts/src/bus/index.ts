export * from './bus-accounts.ts';
export * from './bus-users.ts';
