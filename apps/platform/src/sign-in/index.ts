export { FIRST_PARTY_REDIRECTS } from './first-party.service.ts';
export { SignInModule } from './sign-in.module.ts';
