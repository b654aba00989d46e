export { MESSAGES } from './capability.ts';
