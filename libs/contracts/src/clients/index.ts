export * as accountClients from './account-client-endpoints.ts';
export { clientsExamples } from './examples.ts';
export * from './limits.ts';
export * as phoneSignIns from './phone-sign-in-endpoints.ts';
export * as serviceClient from './service-client-endpoints.ts';
export * from './shapes.ts';
export * as signInApps from './sign-in-app-endpoints.ts';
export * from './subjects.ts';
export * from './whitelist.ts';
