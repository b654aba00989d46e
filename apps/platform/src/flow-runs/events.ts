import type { NewAppEvent } from '../app-events/index.ts';
import type { NewEvent } from '../feed/index.ts';
import { isCustomer, primaryOf, type BoundRun, type CustomerParty, type PartyRow } from './run-row.ts';

/** The members that every event has, of the customer it is about. @spec D2-6 */
const eventOf = ({ user_id: person_user_id, share_code }: CustomerParty, at: Date) => ({
  person_user_id,
  share_code,
  at: at.toISOString(),
});

const ofService = ({ run: { company_user_id, service_id } }: BoundRun, { connection_id }: CustomerParty) => ({
  company_user_id,
  service_id,
  connection_id,
});

/** The service hears of every turn: about the customer whose turn it is; where it is its own, about the primary counterparty. @spec D2-6 */
export function turnEvents(bound: BoundRun, awaited: PartyRow, at: Date): NewEvent[] {
  const about = isCustomer(awaited) ? awaited : primaryOf(bound.parties);
  if (!about) return [];
  const { run_id: flow_run_id } = bound.run;
  const members = { flow_run_id, awaiting_party: awaited.party_key };
  return [{ ...ofService(bound, about), event: { event: 'flow_run_turn', ...eventOf(about, at), ...members } }];
}

/** @spec D2-6 */
export function completedEvents(bound: BoundRun, at: Date): NewEvent[] {
  const about = primaryOf(bound.parties);
  if (!about) return [];
  const event = { event: 'flow_completed', ...eventOf(about, at), flow_run_id: bound.run.run_id } as const;
  return [{ ...ofService(bound, about), event }];
}

/** Each customer once, whichever parts it takes. */
export const customersOf = (parties: readonly PartyRow[]): CustomerParty[] => {
  const customers = parties.filter(isCustomer);
  return customers.filter(({ user_id }, nth) => customers.findIndex((other) => other.user_id === user_id) === nth);
};

/** What the phones of persons who take part hear of. @gap D2-6 */
export const phoneEvents = (
  kind: 'flow_run_turn' | 'flow_completed' | 'flow_run_cancelled',
  { run: { company_user_id, run_id } }: BoundRun,
  parties: readonly PartyRow[],
  at: Date,
): NewAppEvent[] =>
  customersOf(parties)
    .filter(({ customer_type }) => customer_type === 'person')
    .map(({ user_id: person_user_id, connection_id }) => ({
      person_user_id,
      company_user_id,
      kind,
      object_id: `${connection_id}${BETWEEN}${run_id}`,
      at,
    }));

/** Ids of ours have none. */
const BETWEEN = '-';

/** What such an event is about: a run is read by the connection of whoever takes part. */
export function runIn(object_id: string): { flow_run_id: string; connection_id: string } {
  const [connection_id = '', flow_run_id = ''] = object_id.split(BETWEEN);
  return { flow_run_id, connection_id };
}
