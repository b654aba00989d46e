import type { Examples } from '../core/example.ts';

/** Examples, by the names of the endpoints. */
export const discoveryExamples: Examples = {
  front_page: {
    result: {
      name: 'Company Data Service',
      description: 'Persons share data with companies, and nobody in between can read it.',
      documentation: 'https://codase.example/docs',
      openapi: 'https://codase.example/openapi.json',
      token_endpoint: 'https://codase.example/oauth2/token',
      regions: 'https://codase.example/api/regions',
      health: 'https://codase.example/api/health',
    },
  },
  health: { result: { status: 'ok' } },
  openapi_document: { result: { openapi: '3.1.0' } },
};
