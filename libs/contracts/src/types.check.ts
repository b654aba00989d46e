import {
  at,
  type Caller,
  type ChallengeOutcome,
  connections,
  type DocumentStatus,
  fails,
  FEED,
  type FeedEventOf,
  type FieldTypeRow,
  type FlowDefinition,
  type Input,
  type Output,
  Refusal,
  runs,
  type RunStatus,
  type Sealed,
} from './index.ts';
import type { ChallengeOutcome as DomainOutcome, RunStatus as DomainRunStatus, DocumentStatus as DomainStatus } from '@codase/domain';
import type { FieldTypeRow as DomainRow } from '@codase/domain/field-types';
import type { Definition } from '@codase/domain/flow-language';

// What must and what must not compile.

/** Both sides use the same words: the domain can read what the contracts carry. */
export const read = (flow: FlowDefinition, row: FieldTypeRow): [Definition, DomainRow] => [flow, row];
export const sameWords = (a: DomainStatus, b: DocumentStatus, c: DomainRunStatus, d: RunStatus, e: DomainOutcome, f: ChallengeOutcome) =>
  [a, b, c, d, e, f] satisfies [DocumentStatus, DomainStatus, RunStatus, DomainRunStatus, ChallengeOutcome, DomainOutcome];

export const refusals = () => [
  // @ts-expect-error a key that is not in the catalogue
  new Refusal('twofa.typo'),
  // @ts-expect-error this key carries members
  new Refusal('flows.tag_values_stale'),
  // @ts-expect-error this one carries none
  new Refusal('twofa.unavailable', { api_url: 'x' }),
];
// @ts-expect-error a field cannot give what this key carries
fails('plugins.in_use');

// @ts-expect-error a clear text is not sealed
export const sealed: Sealed = 'Main Street 1';
// @ts-expect-error nor is it the value of an event
export const value: FeedEventOf<'field_updated'>['value'] = 'Main Street 1';
export const ciphertext = (event: FeedEventOf<'message_received'>): Sealed => event.body;

// @ts-expect-error an event has its own members only
export const noSlug = (event: FeedEventOf<'flow_completed'>) => event.slug;
// @ts-expect-error a place of the subject is missing
at(FEED, { service: 'shop', event: 'field_updated' });

export const handler = ({ params }: Input<typeof runs.readRun>, { service_id }: Caller<typeof runs.readRun>) => [params.runId, service_id];
// @ts-expect-error a service client has no person behind it
export const noPerson = (caller: Caller<typeof runs.readRun>) => caller.person_user_id;
/** A handler without a result returns nothing. */
export const nothing = (): Output<typeof connections.endConnection> => {};
