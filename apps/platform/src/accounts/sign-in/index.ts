export { SIGN_IN } from './capability.ts';
export { FIRST_PARTY_REDIRECTS } from './first-party.service.ts';
