import { dashboardOf } from './board.ts';
import { BOARDS } from './boards.ts';

/** The folder of the dashboards that Grafana reads. */
export const BOARDS_FOLDER = 'deploy/observability/boards';

/** Returns the content of each dashboard's file, by file name. */
export const boardFiles = (): Record<string, string> =>
  Object.fromEntries(BOARDS.map((board) => [`${board.uid}.json`, `${JSON.stringify(dashboardOf(board), null, 2)}\n`]));
