import { z } from 'zod';

/** A home region's name, as in `eu`. */
export const Region = z.string().regex(/^[a-z][a-z0-9-]{0,15}$/);
export type Region = z.infer<typeof Region>;
