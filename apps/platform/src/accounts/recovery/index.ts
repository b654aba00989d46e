export { RECOVERY } from './capability.ts';
