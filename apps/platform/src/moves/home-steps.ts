import type { HomeState as HeldState } from '../regions/index.ts';

/** What a company is to a region. `away`: the region holds nothing of it. */
export type HomeState = HeldState | 'away';

/** In which states of the company a region takes a step of its move; each step finds its own result and leaves it. @gap D1-5.6 */
export const HOME_STEPS = {
  beginLeaving: ['here', 'settling', 'leaving'],
  settleLeaving: ['settling', 'leaving'],
  handOver: ['leaving'],
  finishLeaving: ['leaving', 'away'],
  stay: ['settling', 'leaving', 'here', 'away'],
  beginArriving: ['away', 'arriving'],
  takeRows: ['away', 'arriving'],
  finishArriving: ['arriving', 'here'],
  forgetArrival: ['arriving', 'away'],
} as const satisfies Record<string, readonly HomeState[]>;
export type HomeStep = keyof typeof HOME_STEPS;

export const mayTake = (step: HomeStep, state: HomeState): boolean => (HOME_STEPS[step] as readonly HomeState[]).includes(state);
