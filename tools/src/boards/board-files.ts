import { dashboardOf } from './board.ts';
import { BOARDS } from './boards.ts';

/** Where the pages are kept, for Grafana to read. */
export const BOARDS_FOLDER = 'deploy/observability/boards';

/** What each file holds, by its name. */
export const boardFiles = (): Record<string, string> =>
  Object.fromEntries(BOARDS.map((board) => [`${board.uid}.json`, `${JSON.stringify(dashboardOf(board), null, 2)}\n`]));
