import type { Endpoint } from '@codase/contracts';

type Said = 'name' | 'path' | 'callers' | 'tag' | 'summary' | 'description' | 'act';

/** Endpoints with the same shapes as others, at other paths and for other callers. */
export type Alike<Contracts> = { readonly [K in keyof Contracts]: Omit<Contracts[K], Said> & Pick<Endpoint, Said> };
