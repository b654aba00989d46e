export * as account from './account-endpoints.ts';
export * as contactData from './contact-data-endpoints.ts';
export * as delegates from './delegate-endpoints.ts';
export { peopleExamples } from './examples.ts';
export * as photos from './photo-endpoints.ts';
export * from './shapes.ts';
export * from './subjects.ts';
