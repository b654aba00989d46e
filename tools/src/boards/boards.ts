import type { Board } from './board.ts';
import { PLATFORM } from './platform-board.ts';
import { SERVICE } from './service-board.ts';
import { SUITE } from './suite-board.ts';
import { WELL } from './well-board.ts';

/** Every board, as Grafana lists them. */
export const BOARDS: readonly Board[] = [WELL, SUITE, PLATFORM, SERVICE];
