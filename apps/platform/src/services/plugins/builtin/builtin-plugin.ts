import type { OpenedQuestion, OpenedReply, PluginDescription } from '@codase/contracts';

/** A question to a plugin of the platform, without the key for its reply. */
export type Question = Omit<OpenedQuestion, 'reply_key'>;

/** A plugin of the platform. It answers from tables of its own, and passes no question on. @spec D1-2.11 */
export interface BuiltinPlugin {
  key: string;
  /** The description without a public key, since all built-in plugins have the key of the forwarder. */
  description: Omit<PluginDescription, 'public_key'>;
  answer(question: Question): OpenedReply;
}

export const QUESTION_INVALID: OpenedReply = { question_invalid: true };
export const PICKS_INVALID: OpenedReply = { picks_invalid: true };

interface Searched {
  id: string;
  label: string;
}

/** How many options are returned. To find others, the user narrows the query. */
const SHOWN = 50;

/** Returns options by their id or by a part of their label: the id first, then what begins with the query, without accents and case. */
export function search(all: readonly Searched[], query: string): OpenedReply {
  const wanted = plain(query.trim());
  const ranked = all
    .map((option) => ({ option, rank: rankOf(option, wanted) }))
    .filter(({ rank }) => rank < NOWHERE)
    .toSorted((one, other) => one.rank - other.rank || one.option.label.localeCompare(other.option.label, 'en'));
  return { options: ranked.slice(0, SHOWN).map(({ option: { id, label } }) => ({ id, label })), more: ranked.length > SHOWN };
}

const NOWHERE = 3;

function rankOf({ id, label }: Searched, wanted: string): number {
  const text = plain(label);
  if (plain(id) === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  return text.includes(wanted) ? 2 : NOWHERE;
}

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
