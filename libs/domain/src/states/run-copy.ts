import { to, type Absent, type Table } from './table.ts';

/** The states of one party's copy of a run's output while the run is open. @spec D2-3 */
export type CopyStatus = 'waiting' | 'ready_to_sign' | 'offering' | 'active' | 'ended';
/** What happens to a copy: generation makes it, the signing line opens it, its party acts, the run ends. */
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
/** Which event tells of it: document_created, or document_status_changed with its action or with none. @spec D2-6 */
export type CopyEffect = 'announce created' | 'announce opened' | 'announce signed' | 'announce accepted' | 'announce ended';

/**
 * The first of the line is created open, the others wait; a party no signer list names gets its copy active. A cancelled run
 * ends what is open or waiting and leaves the rest. @spec D2-3
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
  ended: {},
};

/** How the signing line opens a copy for its step. @spec D2-3 */
export const signalOfOpening = (action: 'sign' | 'accept'): CopySignal => `open to ${action}`;
