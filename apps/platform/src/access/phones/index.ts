export { PHONES } from './capability.ts';
