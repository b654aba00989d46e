export { PHOTOS } from './capability.ts';
