export { SIGN_IN } from './capability.ts';
export { forgetOldEnrolments } from './old-enrolments.store.ts';
export { forgetSignInSteps } from './sign-in-steps.store.ts';
export { FIRST_PARTY_REDIRECTS } from './first-party.service.ts';
