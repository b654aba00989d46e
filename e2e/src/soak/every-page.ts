import { untilAnswered } from './until-answered.ts';

const PAGE = 100;

interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}

/** Returns a whole list, page by page. Each page is requested until it is answered. */
export async function everyPage<T>(ask: (paging: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const paging = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page: Page<T> = await untilAnswered(() => ask(paging));
    all.push(...page.items);
    cursor = page.next_cursor;
  }
  return all;
}
