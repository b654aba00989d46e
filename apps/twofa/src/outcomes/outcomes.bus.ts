import { Controller } from '@nestjs/common';
import { CHALLENGE_EVENT, FEED, READ_CHALLENGE, Refusal } from '@cds/contracts';
import { Answers, Consumes, type BusContext, type EventContext, type MessageOf } from '@cds/runtime/nest-bus';
import { OutcomesStore } from './outcomes.store.ts';

/** Outcomes wait for nothing but the database, and do not depend on each other's order. */
const AT_ONCE = 16;

/**
 * Keeps the outcome of every challenge that the feed brings, so that a company's services can read it as often as they like: the platform
 * tells it only once. @spec D1-3.1
 */
@Controller()
export class OutcomesBus {
  constructor(private readonly outcomes: OutcomesStore) {}

  @Consumes(FEED, { as: 'twofa_outcomes', only: { event: CHALLENGE_EVENT }, atOnce: AT_ONCE })
  async keep(event: MessageOf<typeof FEED>, { values }: EventContext<typeof FEED>): Promise<void> {
    if (event.event !== CHALLENGE_EVENT) throw new Refusal('request.invalid');
    await this.outcomes.keep(values.service, { ...event, completed_at: new Date(event.completed_at) });
  }

  @Answers(READ_CHALLENGE, { queue: 'twofa' })
  async read({ challenge_id }: MessageOf<typeof READ_CHALLENGE>, { values }: BusContext<typeof READ_CHALLENGE>) {
    const outcome = await this.outcomes.find(values.service, challenge_id);
    if (!outcome) throw new Refusal('twofa.challenge_not_found');
    return { ...outcome, completed_at: outcome.completed_at.toISOString() };
  }
}
