import { Inject, Injectable } from '@nestjs/common';
import type { TurnEvent } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { execute, many, sql, type Db } from '@codase/runtime/db';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../settings.ts';
import type { KeptTurn } from './kept-run.ts';

/** An event of a turn: its kind, the step of the run that it is about, and when it happened. */
interface NewTurnEvent {
  event: TurnEvent['event'];
  step: string;
  now: Date;
}

/** Adds an event to those that wait to be published, in the transaction of the change that the event is about. */
export async function addTurnEvent(tx: Db, turn: KeptTurn, { event, step, now }: NewTurnEvent): Promise<void> {
  const { service, flow_run_id, flow_id, node, opened_at, error_key, traceparent } = turn;
  const message: TurnEvent = { flow_run_id, flow_id, node, event, since: opened_at.toISOString(), at: now.toISOString(), error_key };
  await execute(
    tx,
    sql`
    insert into turn_event (service, event, turn, message, traceparent)
    values (${service}, ${event}, ${`${flow_run_id}-${step}`}, ${JSON.stringify(message)}, ${traceparent})`,
  );
}

/** Events of turns: which are due by the clock, and which wait to be published. */
@Injectable()
export class TurnEventsStore {
  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Adds reminders of turns that wait, when they are due by the clock. Those of the services in `except` wait. Returns how many. */
  async remind(most: number, { except }: { except: readonly string[] }): Promise<number> {
    const now = this.clock.now();
    return this.db.transaction(async (tx) => {
      const due = await many<KeptTurn & { reminders: number; remind_at: Date }>(
        tx,
        sql`
        select * from run where state in ('open', 'taken', 'parked') and remind_at <= ${now} and service <> all(${except}::text[])
         order by remind_at limit ${most} for update skip locked`,
      );
      for (const turn of due) {
        const { remind_at } = this.settings.deadlines(turn.service, turn.flow_id, now);
        await addTurnEvent(tx, turn, { event: 'reminder', step: `${turn.node}-${turn.reminders + 1}`, now });
        await execute(
          tx,
          sql`
          update run set reminders = reminders + 1, remind_at = ${remind_at}
           where service = ${turn.service} and flow_run_id = ${turn.flow_run_id}`,
        );
      }
      return due.length;
    });
  }

  /** Adds one event for each turn that is overdue. Returns these turns. */
  async tellOverdue(most: number): Promise<KeptTurn[]> {
    const now = this.clock.now();
    return this.db.transaction(async (tx) => {
      const due = await many<KeptTurn>(
        tx,
        sql`
        select * from run where state in ('open', 'taken', 'parked') and overdue_at <= ${now}
         order by overdue_at limit ${most} for update skip locked`,
      );
      for (const turn of due) {
        await addTurnEvent(tx, turn, { event: 'overdue', step: turn.node, now });
        await execute(tx, sql`update run set overdue_at = null where service = ${turn.service} and flow_run_id = ${turn.flow_run_id}`);
      }
      return due;
    });
  }

  /** Returns events that wait to be published, the oldest first. */
  unpublished(
    most: number,
  ): Promise<{ id: string; service: string; event: string; turn: string; message: TurnEvent; traceparent: string | null }[]> {
    return many(this.db, sql`select * from turn_event order by id limit ${most}`);
  }

  async published(id: string): Promise<void> {
    await execute(this.db, sql`delete from turn_event where id = ${id}`);
  }
}
