import { dashboardOf, type Board } from './board.ts';
import { PLATFORM } from './platform-board.ts';
import { SERVICE } from './service-board.ts';
import { SUITE } from './suite-board.ts';
import { WELL } from './well-board.ts';

/** Every board, as Grafana lists them. */
export const BOARDS: readonly Board[] = [WELL, SUITE, PLATFORM, SERVICE];

/** The folder of the dashboards that Grafana reads. */
export const BOARDS_FOLDER = 'deploy/observability/boards';

/** Returns the content of each dashboard's file, by file name. */
export const boardFiles = (): Record<string, string> =>
  Object.fromEntries(BOARDS.map((board) => [`${board.uid}.json`, `${JSON.stringify(dashboardOf(board), null, 2)}\n`]));
