import { Region } from '@codase/contracts';
import { z } from 'zod';

/** The state of a region: saving paused, or the whole region being rebuilt. @spec D1-7 */
export const RegionMode = z.object({ region: Region, writes_paused: z.boolean(), out_of_order: z.boolean() });
export type RegionMode = z.infer<typeof RegionMode>;

export const NORMAL = { writes_paused: false, out_of_order: false } as const;

/** The projection of the modes, which every base follows. */
export const MODES = { bucket: 'modes', shape: RegionMode };
