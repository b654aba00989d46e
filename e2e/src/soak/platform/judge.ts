import type { FeedEvent } from '@codase/contracts';
import { SLUG } from '../request-field.ts';
import { tally, type Judgement } from '../tally.ts';
import { digestOf, documentOf, messageOf, type Edit } from './edit.ts';

export interface ReceivedEdit {
  id: string;
  person: string;
  at: string;
  value: string | undefined;
}

/** How one channel delivered the edits of its service. */
export type Judged = Judgement & { repeated: number };

export const receivedEdits = (events: readonly FeedEvent[]): ReceivedEdit[] => events.flatMap((event) => receivedEdit(event) ?? []);

function receivedEdit(event: FeedEvent): ReceivedEdit | undefined {
  const { id, person_user_id: person } = event;
  switch (event.event) {
    case 'flow_run_turn':
      return { id, person, at: event.flow_run_id, value: event.flow_run_id };
    case 'message_received':
      return { id, ...messageOf('', person, 0, event.body) };
    case 'document_created':
      return { id, ...documentOf('', person, 0, `${event.document_id} created`) };
    case 'document_status_changed':
      return { id, ...documentOf('', person, 0, `${event.document_id} ${event.action}`) };
    case 'field_updated':
      return event.slug === SLUG ? { id, person, at: event.at, value: event.value && digestOf(event.value) } : undefined;
    default:
      return undefined;
  }
}

/** Returns what an edit and its event have in common: the person, and the time of the edit. */
const nameOf = ({ person, at }: { person: string; at: string }): string => `${person} ${at}`;

/** Judges the pull feed: an id that arrives again is a repeat, the same edit with a second id is a duplicate. @spec D1-4.3 */
export function judgePull(received: readonly ReceivedEdit[], edits: readonly Edit[]): Judged {
  const firsts = [...new Map(received.toReversed().map((one) => [one.id, one])).values()].toReversed();
  return { ...judge(firsts, edits), repeated: received.length - firsts.length };
}

/** Judges a webhook, whose ids are new each time. Every kill may repeat one event, as its answer was lost. @spec D1-6.3 */
export function judgeHook(received: readonly ReceivedEdit[], edits: readonly Edit[], kills: number): Judged {
  const judged = judge(received, edits);
  const repeated = Math.min(judged.duplicated, kills);
  return { ...judged, duplicated: judged.duplicated - repeated, repeated };
}

/** Judges a channel: each edit takes effect once. Wrong are events of no edit, and values from before their edit. @spec D1-6.1 */
export function judge(received: readonly ReceivedEdit[], edits: readonly Edit[]): Judged {
  const byName = new Map(edits.map((edit) => [nameOf(edit), edit]));
  const byValue = new Map(edits.map((edit) => [edit.value, edit.n]));
  const known = received.flatMap((one) => byName.get(nameOf(one)) ?? []);
  const isStale = (one: ReceivedEdit) => (byValue.get(one.value ?? '') ?? 0) < (byName.get(nameOf(one))?.n ?? 0);
  const effects = known.map((edit) => ({ message_id: nameOf(edit), key: edit.person, n: edit.n }));
  return { ...tally(edits.map(nameOf), effects), repeated: 0, wrong: received.length - known.length + received.filter(isStale).length };
}
