import type { SHARING } from '@cds/contracts';
import type { z } from 'zod';

/** What a region is asked by customers, its own and those of other regions. */
export type Operation = keyof typeof SHARING;
export type Asked<O extends Operation> = z.output<(typeof SHARING)[O]['message']>;
export type Answered<O extends Operation> = z.output<NonNullable<(typeof SHARING)[O]['reply']>>;

/** How it is answered: in a transaction of the customer's own region, or in one of its own. */
export type Sharings<Tx> = { [O in Operation]: (tx: Tx, asked: Asked<O>) => Promise<Answered<O>> };

/** What a region answers while saving is paused. */
export const READS: readonly Operation[] = ['card', 'places', 'read', 'slots'];
