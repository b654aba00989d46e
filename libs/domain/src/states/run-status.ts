import { to, type Absent, type Table } from './table.ts';

/** The phases of a run. In `awaiting`, the status also names a party. @spec D2-3 */
export type RunPhase = 'awaiting' | 'generating' | 'awaiting_signature' | 'completed' | 'cancelled';
/** The status of a run on the wire. No party may be called `signature`, because its status would be ambiguous. @spec D2-3 @gap D2-3 */
export type RunStatus = `awaiting_${string}` | Exclude<RunPhase, 'awaiting'>;
/** What happens to a run. */
export type RunSignal =
  | 'trigger'
  | 'next node'
  | 'data leaf'
  | 'document leaf'
  | 'generated'
  | 'generation failed'
  | 'step acted'
  | 'last step acted'
  | 'cancel'
  | 'delete data';
/** What else must happen. */
export type RunEffect =
  | 'announce turn'
  | 'announce completed'
  | 'share answers'
  | 'create copies'
  | 'activate copy'
  | 'open next copy'
  | 'end open copies'
  | 'remove data';

/** The moves of every open run. The company cancels it, or a party declines or cancels any of its documents. @spec D2-3 */
const OPEN = {
  cancel: to('cancelled', 'end open copies'),
  'delete data': to('cancelled', 'end open copies', 'remove data'),
} as const;

/** The state table of runs. A turn is announced when it begins; a failed generation waits for cancelling. @spec D2-3 @spec D1-6.1 */
export const RUN: Table<Absent | RunPhase, RunSignal, RunEffect> = {
  none: {
    trigger: to('awaiting', 'announce turn'),
  },
  awaiting: {
    'next node': to('awaiting', 'announce turn'),
    'data leaf': to('completed', 'share answers', 'announce completed'),
    'document leaf': to('generating'),
    ...OPEN,
  },
  generating: {
    generated: to('awaiting_signature', 'create copies', 'announce turn'),
    'generation failed': to('generating'),
    ...OPEN,
  },
  awaiting_signature: {
    'step acted': to('awaiting_signature', 'activate copy', 'open next copy', 'announce turn'),
    'last step acted': to('completed', 'activate copy', 'announce completed'),
    ...OPEN,
  },
  completed: { 'delete data': to('completed', 'remove data') },
  cancelled: { 'delete data': to('cancelled', 'remove data') },
};

const CLOSED: readonly RunPhase[] = ['completed', 'cancelled'];

/** Returns the phase of a run by its status. */
export const phaseOf = (status: RunStatus): RunPhase => (isAwaitingParty(status) ? 'awaiting' : status);

/** Returns the party whose turn it is to answer. Undefined when the run waits for no party's answers. */
export const awaitedParty = (status: RunStatus): string | undefined =>
  isAwaitingParty(status) ? status.slice('awaiting_'.length) : undefined;

/** Returns the status of a run that awaits this party's answers. @spec D2-3 */
export const awaiting = (party: string): RunStatus => `awaiting_${party}`;

/** Whether anything can still happen in the run. */
export const isOpenRun = (status: RunStatus): boolean => !CLOSED.includes(phaseOf(status));

type AwaitingParty = Exclude<RunStatus, Exclude<RunPhase, 'awaiting'>>;
const isAwaitingParty = (status: RunStatus): status is AwaitingParty => status.startsWith('awaiting_') && status !== 'awaiting_signature';
