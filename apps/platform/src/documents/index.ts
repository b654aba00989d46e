export { DOCUMENTS } from './capability.ts';
