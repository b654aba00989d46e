import type { Examples } from '../core/example.ts';
import { page } from '../core/samples.ts';

/** Examples, by the names of the endpoints. */
export const regionsExamples: Examples = {
  list_regions: { result: page({ region: 'eu', api_url: 'https://eu.codase.example' }) },
};
