import { z } from 'zod';
import { Id } from '../core/text.ts';

/** The members of each kind beside those that every event has. @spec D2-6 */
export const flowEvents = {
  flow_run_turn: { flow_run_id: Id, awaiting_party: z.string() },
  flow_completed: { flow_run_id: Id },
};
