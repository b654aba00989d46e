import { z } from 'zod';

/** A page for a browser: HTML on the wire. */
export const Page = z.object({ html: z.string() });
export type Page = z.infer<typeof Page>;
