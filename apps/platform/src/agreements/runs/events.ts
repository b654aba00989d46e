import type { NewAppEvent } from '../../foundation/app-events/index.ts';
import type { NewEvent } from '../../services/feed/index.ts';
import { isCustomer, primaryOf, type BoundRun, type CustomerParty, type PartyRow } from './run-row.ts';

/** Returns the members that every event has: those about its customer, and the time. @spec D2-6 */
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

/** Returns the event that tells the service of a turn, about the customer whose turn it is or the primary counterparty. @spec D2-6 */
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

/** Returns each customer once, even if the customer plays several parties. */
export const customersOf = (parties: readonly PartyRow[]): CustomerParty[] => {
  const customers = parties.filter(isCustomer);
  return customers.filter(({ user_id }, nth) => customers.findIndex((other) => other.user_id === user_id) === nth);
};

/** Returns the app events for the phones of the persons who take part. @gap D2-6 */
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

/** Separates the two ids; no id of the platform contains it. */
const BETWEEN = '-';

/** Returns the run that such an event is about, and the connection by which the person reads it. */
export function runIn(object_id: string): { flow_run_id: string; connection_id: string } {
  const [connection_id = '', flow_run_id = ''] = object_id.split(BETWEEN);
  return { flow_run_id, connection_id };
}
