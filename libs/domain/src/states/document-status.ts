import { move, to, type Absent, type Move, type Table } from './table.ts';

/** The states of a document. @spec D1-3.3 */
export const DOCUMENT_STATUSES = ['offering', 'ready_to_sign', 'active', 'active_but_ending', 'ended'] as const;
/** One state of a document. */
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];
/** What happens to a document: its creation, an act of the person, its end date, an edit of the company, or the end of its connection. */
export type DocumentSignal =
  | 'create to sign'
  | 'create to accept'
  | 'create active'
  | 'sign'
  | 'accept'
  | 'decline'
  | 'cancel for later'
  | 'cancel for today'
  | 'end date reached'
  | 'put active_but_ending'
  | 'put ended'
  | 'connection ended';
/** The event about a person's document: document_created, document_status_changed with its action, document_updated. @spec D1-6.1 */
export type DocumentEffect = 'announce created' | 'announce signed' | 'announce accepted' | 'announce cancelled' | 'announce updated';

/** Decided by us: declining, the end date, what a company may set, and an end with the connection. @spec D1-3.3 @gap D1-3.3 */
export const DOCUMENT: Table<Absent | DocumentStatus, DocumentSignal, DocumentEffect> = {
  none: {
    'create to sign': to('ready_to_sign', 'announce created'),
    'create to accept': to('offering', 'announce created'),
    'create active': to('active', 'announce created'),
  },
  ready_to_sign: {
    sign: to('active', 'announce signed'),
    decline: to('ended', 'announce cancelled'),
    'put ended': to('ended', 'announce updated'),
    'connection ended': to('ended', 'announce updated'),
  },
  offering: {
    accept: to('active', 'announce accepted'),
    decline: to('ended', 'announce cancelled'),
    'put ended': to('ended', 'announce updated'),
    'connection ended': to('ended', 'announce updated'),
  },
  active: {
    'cancel for later': to('active_but_ending', 'announce cancelled'),
    'cancel for today': to('ended', 'announce cancelled'),
    'put active_but_ending': to('active_but_ending', 'announce updated'),
    'put ended': to('ended', 'announce updated'),
    'connection ended': to('ended', 'announce updated'),
  },
  active_but_ending: {
    'end date reached': to('ended', 'announce updated'),
    'put ended': to('ended', 'announce updated'),
    'connection ended': to('ended', 'announce updated'),
  },
  ended: {},
};

/** Returns how a new document starts: to be signed, else to be accepted, else active. @spec D1-2.12 */
export function signalOfCreation(document: { requires_signature: boolean; requires_acceptance: boolean }): DocumentSignal {
  if (document.requires_signature) return 'create to sign';
  return document.requires_acceptance ? 'create to accept' : 'create active';
}

/** Returns whether a cancellation waits for a later day or has effect today. Both dates are YYYY-MM-DD. @spec D1-3.3 */
export const signalOfCancellation = (effectiveDate: string, today: string): DocumentSignal =>
  effectiveDate > today ? 'cancel for later' : 'cancel for today';

/** Why a company's edit of the status is refused, by its error key. @spec D2-7 @gap D1-3.3 */
export type PutRefusal = 'documents.run_managed' | 'documents.transition_invalid';

/** A document whose status a company wants to change, and the run that produced it, if one did. */
export interface PutDocument {
  status: DocumentStatus | 'waiting';
  run: 'none' | 'open' | 'over';
}

const RUN_MANAGED: readonly PutDocument['status'][] = ['waiting', 'ready_to_sign', 'offering'];

/**
 * Decides on a company's edit of the status. As long as a run is open, only the run moves its documents: a signed copy that the company
 * ended would leave the others to be signed. @spec D1-4.2 @spec D2-3 @spec D2-7 @gap D1-3.3
 */
export function companyPut(
  { status, run }: PutDocument,
  wanted: DocumentStatus,
): Move<Absent | DocumentStatus, DocumentEffect> | PutRefusal {
  if (run === 'open' || (run === 'over' && RUN_MANAGED.includes(status))) return 'documents.run_managed';
  const granted = status === 'waiting' ? undefined : move(DOCUMENT, status, `put ${wanted}` as DocumentSignal);
  return granted ?? 'documents.transition_invalid';
}
