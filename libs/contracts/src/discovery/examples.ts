import type { Examples } from '../core/example.ts';

/** By the names of the endpoints. */
export const discoveryExamples: Examples = {
  health: { result: { status: 'ok' } },
  openapi_document: { result: { openapi: '3.1.0' } },
};
