export { SEALS } from './capability.ts';
export { PlatformSeal } from './platform-seal.service.ts';
