export * as companyData from './company-data-endpoints.ts';
export * as services from './endpoints.ts';
export { servicesExamples } from './examples.ts';
export * from './limits.ts';
export * from './shapes.ts';
