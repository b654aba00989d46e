import type { FeedEvent } from '@cds/contracts';
import { sha256 } from '../spool/spooled.ts';

/**
 * What a repeated delivery is known by. A webhook's event ids are no help: a live delivery has a fresh one, its replay another. So it is
 * the content: everything the event says but its id, whatever the order it is written in. @spec D1-6.3
 */
export function contentKey(event: FeedEvent): string {
  const said = Object.entries(event)
    .filter(([name]) => name !== 'id')
    .sort(byName);
  return `content:${sha256(JSON.stringify(said))}`;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
