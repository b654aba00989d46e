import { z } from 'zod';
import { PAGE_ITEMS } from './limits.ts';

/** The answer of a call that returns nothing; `null` is how nothing travels on the bus. */
export const Nothing = z.union([z.void(), z.null()]);

/** One page of a list: `next_cursor` asks for the next page, and is null when there is none. @gap D1-4.7 */
export const page = <S extends z.ZodType>(item: S) => z.object({ items: z.array(item), next_cursor: z.string().nullable() });

/** A list that always comes whole. @gap D1-4.7 */
export const whole = <S extends z.ZodType>(item: S) => z.object({ items: z.array(item), next_cursor: z.null() });

/** Which page of a list to read. @gap D1-4.7 */
export const Paging = z.strictObject({
  limit: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(PAGE_ITEMS.most)
    .default(PAGE_ITEMS.usual)
    .describe('How many entries the answer may hold at most'),
  cursor: z
    .string()
    .max(512)
    .optional()
    .describe('Where the page before ended: its `next_cursor`, as it came. Left out, the list begins at its start'),
});
