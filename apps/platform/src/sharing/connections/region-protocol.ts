import { CONNECTION_SUBJECTS, type Subject } from '@codase/contracts';
import type { z } from 'zod';

/** The operations on connections that a region performs for customers, its own and those of other regions. */
export type Operation = keyof typeof CONNECTION_SUBJECTS;
export type RequestOf<O extends Operation> = z.output<(typeof CONNECTION_SUBJECTS)[O]['message']>;
export type ReplyOf<O extends Operation> = z.output<NonNullable<(typeof CONNECTION_SUBJECTS)[O]['reply']>>;

/** The subject of each operation, typed so that the compiler knows request and reply also where the operation is a type parameter. */
export const SUBJECTS: {
  readonly [O in Operation]: Subject<
    `${string}{region}${string}`,
    z.ZodType<RequestOf<O>, RequestOf<O>>,
    z.ZodType<ReplyOf<O>, ReplyOf<O>>
  >;
} = CONNECTION_SUBJECTS;

/** The operations on the slots that follow a field of a customer. */
export type SlotOperation = 'follow' | 'forget' | 'verify';

/** An implementation of each operation: a write inside a transaction, a read also without one. */
export type OperationsTable<Tx> = { [O in Operation]: (tx: Tx, request: RequestOf<O>) => Promise<ReplyOf<O>> };

/** The operations that write nothing. */
export const READS: readonly Operation[] = ['card', 'pluginPass', 'places', 'read', 'slots'];

/**
 * The operations that a region performs also while its writes are paused. `slots` is asked before a write, so it is refused as the write
 * would be.
 */
export const WHILE_PAUSED: readonly Operation[] = ['card', 'places', 'read'];
