export * as accountSecurity from './account-security-endpoints.ts';
export * as identity from './endpoints.ts';
export { identityExamples } from './examples.ts';
export * from './limits.ts';
export * as personSecurity from './person-security-endpoints.ts';
export * as phones from './phone-endpoints.ts';
export * as recovery from './recovery-endpoints.ts';
export * from './shapes.ts';
export * from './subjects.ts';
