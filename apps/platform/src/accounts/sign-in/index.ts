export { SIGN_IN } from './capability.ts';
