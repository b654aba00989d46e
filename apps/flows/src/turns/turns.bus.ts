import { Controller } from '@nestjs/common';
import {
  ANSWER_TURN,
  ASK_PLUGIN,
  CANCEL_RUN,
  HAND_BACK_TURN,
  LIST_TURNS,
  Refusal,
  RESUME_TURN,
  TAKE_TURN,
  type TurnSummary,
} from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import type { KeptTurn } from './kept-run.ts';
import { RunsStore } from './runs.store.ts';
import { TurnsService } from './turns.service.ts';

const SHARED = { queue: 'flows' };

/** Answers requests about turns, from a company's own services and back offices. @spec D2-4.2 */
@Controller()
export class TurnsBus {
  constructor(
    private readonly turns: TurnsService,
    private readonly store: RunsStore,
  ) {}

  @Answers(TAKE_TURN, SHARED)
  take(message: MessageOf<typeof TAKE_TURN>, { values, user, withinMs }: BusContext<typeof TAKE_TURN>) {
    return this.turns.take({ service: values.service, user, withinMs }, message);
  }

  @Answers(ANSWER_TURN, SHARED)
  answer(message: MessageOf<typeof ANSWER_TURN>, { values, user, withinMs }: BusContext<typeof ANSWER_TURN>) {
    return this.turns.answer({ service: values.service, user, withinMs }, message);
  }

  @Answers(ASK_PLUGIN, SHARED)
  askPlugin(message: MessageOf<typeof ASK_PLUGIN>, { values, user, withinMs }: BusContext<typeof ASK_PLUGIN>) {
    return this.turns.askPlugin({ service: values.service, user, withinMs }, message);
  }

  @Answers(HAND_BACK_TURN, SHARED)
  handBack(message: MessageOf<typeof HAND_BACK_TURN>, { values, user, withinMs }: BusContext<typeof HAND_BACK_TURN>) {
    return this.turns.handBack({ service: values.service, user, withinMs }, message);
  }

  @Answers(RESUME_TURN, SHARED)
  resume({ flow_run_id }: MessageOf<typeof RESUME_TURN>, { values, user, withinMs }: BusContext<typeof RESUME_TURN>) {
    return this.turns.resume({ service: values.service, user, withinMs }, flow_run_id);
  }

  @Answers(CANCEL_RUN, SHARED)
  cancel({ flow_run_id }: MessageOf<typeof CANCEL_RUN>, { values, user, withinMs }: BusContext<typeof CANCEL_RUN>) {
    return this.turns.cancel({ service: values.service, user, withinMs }, flow_run_id);
  }

  @Answers(LIST_TURNS, SHARED)
  async list({ cursor, limit, flow_id, flow_run_id, state }: MessageOf<typeof LIST_TURNS>, { values }: BusContext<typeof LIST_TURNS>) {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const found = await this.store.turns(values.service, { flow_id, flow_run_id, state, limit: limit + 1, after });
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items: items.map(presentSummary), next_cursor: last ? `${last.opened_at.toISOString()} ${last.flow_run_id}` : null };
  }
}

function readCursor(cursor: string): [since: string, flow_run_id: string] {
  const [since = '', id = '', ...rest] = cursor.split(' ');
  const isOne = rest.length === 0 && id !== '' && !Number.isNaN(Date.parse(since));
  if (!isOne) throw new Refusal('request.invalid').because('cursor is none of this list: begin again without it');
  return [since, id];
}

const presentSummary = (turn: KeptTurn): TurnSummary => ({
  flow_run_id: turn.flow_run_id,
  flow_id: turn.flow_id,
  node: turn.node,
  state: turn.state as TurnSummary['state'],
  since: turn.opened_at.toISOString(),
  held_by: turn.state === 'taken' ? (turn.held_by ?? turn.holder) : null,
  held_until: turn.state === 'taken' ? (turn.held_until?.toISOString() ?? null) : null,
  attempts: turn.attempts,
  overdue_at: turn.overdue_at?.toISOString() ?? null,
  error_key: turn.error_key,
});
