import type { FeedEvent } from '@codase/contracts';
import { sha256 } from '../spool/spooled-event.ts';

/**
 * Returns the key by which a repeated delivery is recognised. A webhook's event ids do not help: a live delivery and its replay have
 * different ids. So the key is made from the content: all members of the event except its id, in any order. @spec D1-6.3
 */
export function contentKey(event: FeedEvent): string {
  const said = Object.entries(event)
    .filter(([name]) => name !== 'id')
    .sort(byName);
  return `content:${sha256(JSON.stringify(said))}`;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
