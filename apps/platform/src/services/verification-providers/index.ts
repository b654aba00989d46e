export { Attestations } from './attestations.service.ts';
export { VERIFICATION_PROVIDERS } from './capability.ts';
export { claimIn } from './proof.ts';
