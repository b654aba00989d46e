import type { HomeState as StoredState } from '../../foundation/regions/index.ts';

/** The state of a company in a region. `away`: the region holds nothing of the company. */
export type HomeState = StoredState | 'away';

/**
 * The states of a company in which a region takes a step of its move. They include the result of the step itself, so that a step can be
 * repeated. A company that begins to leave may finish its arrival: the front door was restored, and no longer knows of the later move.
 * @gap D1-5.6
 */
const HOME_STEPS = {
  beginLeaving: ['here', 'settling', 'leaving'],
  settleLeaving: ['settling', 'leaving'],
  handOver: ['leaving'],
  finishLeaving: ['leaving', 'arriving', 'away'],
  stay: ['settling', 'leaving', 'here', 'away'],
  beginArriving: ['away', 'arriving'],
  takeRows: ['away', 'arriving'],
  completeArriving: ['arriving', 'settling', 'leaving', 'here'],
  finishArriving: ['arriving', 'settling', 'leaving', 'here'],
  forgetArrival: ['arriving', 'away'],
} as const satisfies Record<string, readonly HomeState[]>;
export type HomeStep = keyof typeof HOME_STEPS;

/** The steps that another region asks for. The front door has begun their turn here before. */
export const STEPS_OF_PEERS: readonly HomeStep[] = ['takeRows'];

export const mayTake = (step: HomeStep, state: HomeState): boolean => (HOME_STEPS[step] as readonly HomeState[]).includes(state);
