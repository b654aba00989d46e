import { z } from 'zod';
import { expects } from './fails.ts';

/** A home region's name, as in `eu`. */
export const Region = z.string().regex(/^[a-z][a-z0-9-]{0,15}$/, expects('must be the name of a region, as eu'));
export type Region = z.infer<typeof Region>;
