import { Controller } from '@nestjs/common';
import { CHALLENGE_EVENT, FEED, Refusal } from '@codase/contracts';
import { Consumes, type EventContext, type MessageOf } from '@codase/runtime/nest-bus';
import { activeTraceparent } from '@codase/runtime/telemetry';
import { ChallengesStore } from '../challenges/challenges.store.ts';
import { PollWorker } from './poll.worker.ts';

/** How many events are handled at once: they wait for nothing but the database, and do not depend on each other's order. */
const AT_ONCE = 16;

/** Polls at once when an event says that there is an outcome: the poll is authoritative. @spec D1-3.1 */
@Controller()
export class EventsBus {
  constructor(
    private readonly store: ChallengesStore,
    private readonly worker: PollWorker,
  ) {}

  @Consumes(FEED, { as: 'twofa_outcomes', only: { event: CHALLENGE_EVENT }, atOnce: AT_ONCE })
  async note(event: MessageOf<typeof FEED>, { values }: EventContext<typeof FEED>): Promise<void> {
    if (event.event !== CHALLENGE_EVENT) throw new Refusal('request.invalid');
    const { challenge_id, status } = event;
    if (await this.store.noteEvent(values.service, challenge_id, { status, traceparent: activeTraceparent() })) this.worker.wake();
  }
}
