import { Refusal } from '@codase/contracts';

/** Where a list stopped: the moment and the id of the last entry that was shown. Lists are sorted by both, so nothing is shown twice. */
export interface ListPosition {
  at: Date;
  id: string;
}

/** What to read for a page: the entries after a position, at most as many as the limit and one more. */
export interface Slice {
  limit: number;
  after: ListPosition | undefined;
}

export interface Page<Row> {
  items: Row[];
  next_cursor: string | null;
}

/** The text of a cursor. The year 0000 is excluded, because Postgres does not know it. */
const POSITION = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([\w-]{1,64})$/;

/** Returns the cursor of a position, which is opaque to the caller. @gap D1-4.7 */
export const writeCursor = ({ at, id }: ListPosition): string => Buffer.from(`${at.toISOString()} ${id}`).toString('base64url');

/** Returns the position that a cursor names; undefined without one. Refuses a cursor that the platform did not write. @gap D1-4.7 */
export function readCursor(cursor: string | undefined): ListPosition | undefined {
  if (cursor === undefined) return undefined;
  const [, at = '', id = ''] = POSITION.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const position = { at: new Date(at), id };
  if (Number.isNaN(position.at.getTime()) || writeCursor(position) !== cursor) {
    throw new Refusal('request.invalid').because('cursor: pass the next_cursor of the page before, as it came');
  }
  return position;
}

/** Returns a page of rows, of which the caller has read one more than the limit: that one shows that there is a next page. @gap D1-4.7 */
export function pageOf<Row>(rows: readonly Row[], limit: number, positionOf: (row: Row) => ListPosition): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: last !== undefined && rows.length > limit ? writeCursor(positionOf(last)) : null };
}
