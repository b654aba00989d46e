export { specDocuments, type SpecDocuments } from './spec/documents.ts';
