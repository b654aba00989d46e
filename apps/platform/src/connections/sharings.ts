import { SHARING, type Subject } from '@cds/contracts';
import type { z } from 'zod';

/** What a region is asked by customers, its own and those of other regions. */
export type Operation = keyof typeof SHARING;
export type Asked<O extends Operation> = z.output<(typeof SHARING)[O]['message']>;
export type Answered<O extends Operation> = z.output<NonNullable<(typeof SHARING)[O]['reply']>>;

/** Where each is asked; by its name the compiler knows what goes with it, also where the name is one of many. */
export const SUBJECTS: {
  readonly [O in Operation]: Subject<`${string}{region}${string}`, z.ZodType<Asked<O>, Asked<O>>, z.ZodType<Answered<O>, Answered<O>>>;
} = SHARING;

/** How it is answered: in a transaction of the customer's own region, or in one of its own. */
export type Sharings<Tx> = { [O in Operation]: (tx: Tx, asked: Asked<O>) => Promise<Answered<O>> };

/** What a region answers while saving is paused. */
export const READS: readonly Operation[] = ['card', 'places', 'read', 'slots'];
