import type { DocumentStatus } from './document-status.ts';
import { to, type Absent, type Table } from './table.ts';

/** The states of one party's copy of a run's output. @spec D2-3 */
export type CopyStatus = 'waiting' | DocumentStatus;
/** What happens to a copy: generation creates it, the signing line opens it, its party acts, the run is cancelled. */
export type CopySignal =
  | 'create to sign'
  | 'create to accept'
  | 'create waiting'
  | 'create active'
  | 'open to sign'
  | 'open to accept'
  | 'sign'
  | 'accept'
  | 'run cancelled';
/** The event about the copy: document_created, or document_status_changed with or without an action. @spec D2-6 */
export type CopyEffect = 'announce created' | 'announce opened' | 'announce signed' | 'announce accepted' | 'announce ended';

/**
 * The first copy of the signing line is created open, the others wait. A party that no signer list names gets an active copy. A cancelled
 * run ends the copies that are open or waiting, and leaves the others as they are. Once the run is over, its copies move like all other
 * documents. @spec D2-3
 */
export const RUN_COPY: Table<Absent | CopyStatus, CopySignal, CopyEffect> = {
  none: {
    'create to sign': to('ready_to_sign', 'announce created'),
    'create to accept': to('offering', 'announce created'),
    'create waiting': to('waiting', 'announce created'),
    'create active': to('active', 'announce created'),
  },
  waiting: {
    'open to sign': to('ready_to_sign', 'announce opened'),
    'open to accept': to('offering', 'announce opened'),
    'run cancelled': to('ended', 'announce ended'),
  },
  ready_to_sign: {
    sign: to('active', 'announce signed'),
    'run cancelled': to('ended', 'announce ended'),
  },
  offering: {
    accept: to('active', 'announce accepted'),
    'run cancelled': to('ended', 'announce ended'),
  },
  active: {},
  active_but_ending: {},
  ended: {},
};

/** Returns the signal with which the signing line opens a copy for its step. @spec D2-3 */
export const signalOfOpening = (action: 'sign' | 'accept'): CopySignal => `open to ${action}`;
