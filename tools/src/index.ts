export { specDocuments, type SpecDocuments } from './spec/documents.ts';
export { isSameRoute, ROUTES, type Route } from './spec/outline.ts';
