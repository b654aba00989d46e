import type { FeedEvent } from '@cds/contracts';
import { SLUG } from '../asks-for.ts';
import type { Verdict } from '../soak.ts';
import { tally } from '../tally.ts';
import type { Edit } from './editor.ts';

/** An event as a service heard it. */
export interface Told {
  id: string;
  person: string;
  at: string;
  value: string | undefined;
}

/** What one channel told of the edits of its service. */
type Judged = Required<Pick<Verdict, 'lost' | 'duplicated' | 'disordered' | 'repeated' | 'wrong'>>;

/** The edits among some events, as they were told. */
export const toldOf = (events: readonly FeedEvent[]): Told[] =>
  events.flatMap((event) => {
    if (event.event !== 'field_updated' || event.slug !== SLUG) return [];
    return [{ id: event.id, person: event.person_user_id, at: event.at, value: event.value }];
  });

/** What an edit and its event have in common: whose it is, and when it was made. */
const nameOf = ({ person, at }: { person: string; at: string }): string => `${person} ${at}`;

/** On the pull feed an id that comes again is a repeat; the same edit under a second id is one too many. @spec D1-4.3 */
export function judgePull(told: readonly Told[], edits: readonly Edit[]): Judged {
  const firsts = [...new Map(told.toReversed().map((one) => [one.id, one])).values()].toReversed();
  return { ...judge(firsts, edits), repeated: told.length - firsts.length };
}

/** On a webhook ids are new each time, so a repeat is known by what it tells. @spec D1-6.3 */
export function judgeHook(told: readonly Told[], edits: readonly Edit[]): Judged {
  const judged = judge(told, edits);
  return { ...judged, duplicated: 0, repeated: judged.duplicated };
}

/** Wrong is an event of an edit that nobody made, and one with a value from before its edit. @spec D1-6.1 */
function judge(told: readonly Told[], edits: readonly Edit[]): Omit<Judged, 'repeated'> {
  const byName = new Map(edits.map((edit) => [nameOf(edit), edit]));
  const byValue = new Map(edits.map((edit) => [edit.value, edit.n]));
  const known = told.flatMap((one) => byName.get(nameOf(one)) ?? []);
  const isStale = (one: Told) => (byValue.get(one.value ?? '') ?? 0) < (byName.get(nameOf(one))?.n ?? 0);
  const effects = known.map((edit) => ({ message_id: nameOf(edit), key: edit.person, n: edit.n }));
  return { ...tally(edits.map(nameOf), effects), wrong: told.length - known.length + told.filter(isStale).length };
}

/** Both channels of all services together. */
export function sum(all: readonly Judged[]): Judged {
  const total: Judged = { lost: 0, duplicated: 0, disordered: 0, repeated: 0, wrong: 0 };
  for (const judged of all) for (const name of Object.keys(total) as (keyof Judged)[]) total[name] += judged[name];
  return total;
}
