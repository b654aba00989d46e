export { PEOPLE } from './capability.ts';
