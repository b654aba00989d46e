import type { Endpoint } from '@cds/contracts';

type Said = 'name' | 'path' | 'callers' | 'tag' | 'summary' | 'description';

/** Endpoints of the same shapes at other paths, for other callers. */
export type Alike<Contracts> = { readonly [K in keyof Contracts]: Omit<Contracts[K], Said> & Pick<Endpoint, Said> };
