export { SIGN_IN_APPS } from './capability.ts';
