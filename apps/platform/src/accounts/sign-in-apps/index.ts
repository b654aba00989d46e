export { AppSignIns, type Led } from './app-sign-ins.service.ts';
export type { AppRequest } from './app-sign-ins.store.ts';
export { SIGN_IN_APPS } from './capability.ts';
