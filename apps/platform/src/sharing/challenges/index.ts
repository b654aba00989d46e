export { CHALLENGES } from './capability.ts';
