export { SEALS } from './capability.ts';
export { PlatformSeal } from './platform-seal.service.ts';
export { SEAL_KEY_PAIRS } from './seal-identities.service.ts';
