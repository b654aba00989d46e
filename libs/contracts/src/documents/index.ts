export * as customerDocuments from './customer-endpoints.ts';
export * as documents from './endpoints.ts';
export * from './events.ts';
export { documentsExamples } from './examples.ts';
export * as appDocuments from './received-document-endpoints.ts';
export * from './limits.ts';
export * from './region-subjects.ts';
export * from './shapes.ts';
