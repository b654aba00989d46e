import type { Provider } from '@nestjs/common';
import { Arriving } from './arriving.service.ts';
import { CompanyRows } from './company-rows.store.ts';
import { Leaving } from './leaving.service.ts';
import { MoveAnswers } from './move-answers.service.ts';
import { MoveSteps } from './move-steps.service.ts';
import { MoveTurns } from './move-turns.service.ts';
import { Moves } from './moves.service.ts';
import { MovesStore } from './moves.store.ts';
import { MovesWorker } from './moves.worker.ts';

/** The front door begins moves and sees them through. */
export const MOVES: Provider[] = [MovesStore, MoveSteps, MovesWorker, Moves];

/** A region lets companies go and takes them in. */
export const COMINGS_AND_GOINGS: Provider[] = [MoveTurns, CompanyRows, Leaving, Arriving, MoveAnswers];
