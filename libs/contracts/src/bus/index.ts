export * from './bus-accounts.ts';
export * from './bus-user.ts';
export * from './bus-users.ts';
export { platformUsers, regionUser, restoreMark } from './platform-users.ts';
