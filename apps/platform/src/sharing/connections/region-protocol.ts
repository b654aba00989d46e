import type { CONNECTION_SUBJECTS } from '@codase/contracts';
import type { z } from 'zod';

/** The operations on connections that a region performs for customers, its own and those of other regions. */
export type Operation = keyof typeof CONNECTION_SUBJECTS;
export type RequestOf<O extends Operation> = z.output<(typeof CONNECTION_SUBJECTS)[O]['message']>;
export type ReplyOf<O extends Operation> = z.output<NonNullable<(typeof CONNECTION_SUBJECTS)[O]['reply']>>;

/** The operations on the slots that follow a field of a customer. */
export type SlotOperation = 'follow' | 'forget' | 'verify';

/** An implementation of each operation: a write inside a transaction, a read also without one. */
export type OperationsTable<Tx> = { [O in Operation]: (tx: Tx, request: RequestOf<O>) => Promise<ReplyOf<O>> };
