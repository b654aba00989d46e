import { Region } from '@codase/contracts';
import { z } from 'zod';

/** The bases that callers are sent to. @spec D1-5.6 */
export const Bases = z.object({
  front_door_url: z.url(),
  regions: z.array(z.object({ region: Region, api_url: z.url() })).min(1),
});
export type Bases = z.infer<typeof Bases>;
export const BASES = Symbol('Bases');

/** The base that this process serves. */
export type Here = { base: 'front-door' } | { base: 'region'; region: string };
export const HERE = Symbol('Here');

export const apiUrlOf = (bases: Bases, region: string): string | undefined =>
  bases.regions.find((entry) => entry.region === region)?.api_url;
