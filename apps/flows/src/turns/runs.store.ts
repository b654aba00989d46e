import { Inject, Injectable } from '@nestjs/common';
import type { RunStatus } from '@codase/contracts';
import { move } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { execute, many, one, prepared, sql, type Db } from '@codase/runtime/db';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../settings.ts';
import type { KeptRun, KeptTurn, RunKey } from './kept-run.ts';
import { addTurnEvent } from './turn-events.store.ts';
import { isParkedGeneration, signalOfRun, TURN, type RunFacts, type TurnEffect, type TurnState } from './turn-state.ts';

type PlatformRun = RunFacts & { flow_id: string };
/** How the platform's state of a run changed the stored run. */
export interface Moved {
  before: KeptRun;
  run: KeptRun;
  also: readonly TurnEffect[];
}
/** Which turns the caller wants one of. */
interface Wanted {
  flow_id?: string | undefined;
  nodes?: readonly string[] | undefined;
  flow_run_id?: string | undefined;
}
interface Holding {
  hold: string;
  /** The user of the bus that takes the turn. */
  holder: string;
  /** The person of the company who takes the turn. Null for a service. */
  held_by: string | null;
  hold_seconds: number;
}

/** How a turn is given back. */
interface Released {
  counts: 'attempts' | 'failures' | null;
  open_at: Date;
  error_key: string | null;
  /** Set when it is given back because it was held for too long. */
  hasLapsed?: boolean;
}

interface TurnsQuery {
  flow_id?: string | null | undefined;
  flow_run_id?: string | null | undefined;
  state?: string | null | undefined;
  limit: number;
  after?: [since: string, flow_run_id: string] | undefined;
}

/** How long a look at a run may take before another replica may look too. Two looks do no harm: one of them is refused. */
const CLAIM_SECONDS = 20;
/** The same for a run whose documents are generated, with files that may be long. The process renews its claim until the end. */
const GENERATING_SECONDS = 60;
/** How soon a run is looked at again without an event: a run may have been cancelled, and no event may say so. */
const CHECK_AGAIN_MS = { turn: 10 * 60_000, watched: 24 * 60 * 60_000 };
/** After how many failures in a row, about a minute of them, a turn counts as failing. Each look at a run begins a new count. */
const FAILING = 5;

@Injectable()
export class RunsStore {
  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Notes that a run has moved, so that it is looked at now. It is not when the move is known already, such as after a turn that was
   * answered here. A run keeps one trace: that of the first event or request about it.
   */
  async hear({ service, flow_run_id }: RunKey, status: RunStatus, traceparent: string | null): Promise<void> {
    const now = this.clock.now();
    await execute(
      this.db,
      prepared(
        'run_hear',
        sql`
        insert into run (service, flow_run_id, state, status, look_at, traceparent, changed_at)
        values (${service}, ${flow_run_id}, 'watched', ${status}, ${now}, ${traceparent}, ${now})
        on conflict (service, flow_run_id) do update
           set look_at = ${now}, heard = run.heard + 1, traceparent = coalesce(run.traceparent, excluded.traceparent)
         where run.state <> 'ended' and not (run.state = 'watched' and run.flow_id is not null and run.status = excluded.status)`,
      ),
    );
  }

  /** Returns those of the runs that are known neither at that node with the company, nor with another party: no event came. */
  async unknown(service: string, status: RunStatus, runs: readonly { id: string; current_node: string | null }[]): Promise<string[]> {
    const [ids, nodes] = [runs.map(({ id }) => id), runs.map(({ current_node }) => current_node)];
    const found = await many<{ id: string }>(
      this.db,
      sql`
      select listed.id from unnest(${ids}::text[], ${nodes}::text[]) as listed (id, node)
        left join run on run.service = ${service} and run.flow_run_id = listed.id
       where run.flow_run_id is null
          or (run.state <> 'ended' and run.look_at > ${this.clock.now()}
              and not (run.state = 'watched' and run.flow_id is not null and run.status = ${status})
              and (run.state = 'watched' or run.node is distinct from listed.node))`,
    );
    return found.map(({ id }) => id);
  }

  /** Whether a turn of the service can be taken now. */
  async hasOpen(service: string): Promise<boolean> {
    const found = await one(
      this.db,
      sql`select from run where service = ${service} and state = 'open' and open_at <= ${this.clock.now()} limit 1`,
    );
    return found !== undefined;
  }

  /** Claims runs that are due to be looked at, so that no other replica takes them meanwhile. */
  claim(most: number): Promise<KeptRun[]> {
    return many<KeptRun>(
      this.db,
      prepared(
        'run_claim',
        sql`
        update run set claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
         where (service, flow_run_id) in (
           select service, flow_run_id from run
            where look_at <= ${this.clock.now()} and (claimed_until is null or claimed_until <= clock_timestamp())
            order by look_at limit ${most} for update skip locked)
        returning service, flow_run_id, flow_id, state, status, node, look_at, heard, failures, opened_at, attempts, error_key, hold,
                  holder, held_by, held_until, submission, overdue_at, traceparent`,
      ),
    );
  }

  /** Has a run looked at again at that time, because too much else is under way for it now. */
  async scheduleCheck({ service, flow_run_id }: RunKey, look_at: Date): Promise<void> {
    await execute(
      this.db,
      sql`
      update run set look_at = ${look_at}, claimed_until = null
       where service = ${service} and flow_run_id = ${flow_run_id} and state in ('open', 'generating')`,
    );
  }

  /** Keeps other replicas from a run while its documents are generated here. */
  async keepClaim({ service, flow_run_id }: RunKey): Promise<void> {
    await execute(
      this.db,
      sql`
      update run set claimed_until = clock_timestamp() + make_interval(secs => ${GENERATING_SECONDS})
       where service = ${service} and flow_run_id = ${flow_run_id} and state = 'generating'`,
    );
  }

  /** Sets a later time for the look at a run that failed, and counts the failure: a look that got half way has reset the count. */
  async postpone({ service, flow_run_id, failures }: KeptRun, look_at: Date, error_key: string | null): Promise<void> {
    await execute(
      this.db,
      sql`
      update run set look_at = ${look_at}, claimed_until = null, failures = ${failures + 1}, error_key = coalesce(${error_key}, error_key)
       where service = ${service} and flow_run_id = ${flow_run_id}`,
    );
  }

  /**
   * Updates the stored run with the platform's state of it. `before` is the stored run before the platform was asked: if an event came
   * since, the run is looked at once more. Usually the stored run has not changed since then, and one statement is enough. If it has moved
   * meanwhile, the platform's state may be older than the move. If that state would move the run, the platform is asked again. If it says
   * nothing new, the process that moved the run goes on with it.
   */
  async settle(before: KeptRun, run: PlatformRun): Promise<Moved> {
    const settled = await this.settleIn(this.db, before, before.heard, run);
    return (
      settled ??
      this.changing(before, async (tx, kept) => {
        if (!kept) throw new Error(`the run ${before.flow_run_id} is not followed`);
        const signal = signalOfRun(kept, run);
        // A run that has ended stays ended, so this state cannot be outdated.
        if (!hasMoved(before, kept) || signal === 'end') return (await this.settleIn(tx, kept, before.heard, run))!;
        return signal ? this.checkAgain(tx, kept) : { before: kept, run: kept, also: [] };
      })
    );
  }

  private async checkAgain(tx: Db, kept: KeptRun): Promise<Moved> {
    const again = await one<KeptRun>(
      tx,
      sql`
      update run set look_at = ${this.clock.now()}, claimed_until = null
       where service = ${kept.service} and flow_run_id = ${kept.flow_run_id} returning *`,
    );
    return { before: kept, run: again!, also: [] };
  }

  /** Updates the stored run. Returns undefined when it is no longer as in `kept`. */
  private async settleIn(db: Db, kept: KeptRun, heard: number, run: PlatformRun): Promise<Moved | undefined> {
    const signal = signalOfRun(kept, run);
    const step = signal && move(TURN, kept.state, signal);
    const state = step?.next ?? kept.state;
    const [isOffered, now] = [step?.also.includes('offer') === true, this.clock.now()];
    const begins = isOffered || step?.next === 'generating';
    const { remind_at, overdue_at } = isOffered ? this.settings.deadlines(kept.service, run.flow_id, now) : NO_DEADLINES;
    const wasHeard = kept.heard !== heard;
    const moved = await one<KeptRun>(
      db,
      prepared(
        'run_settle',
        sql`
        update run set
          flow_id = ${run.flow_id}, status = ${run.status}, node = ${run.current_node}, state = ${state}, failures = 0,
          look_at = ${wasHeard && state !== 'ended' ? kept.look_at : this.nextCheckAt(state, now)},
          claimed_until = case when state = 'generating' and ${state}::text = 'generating' then claimed_until end,
          submission = case when ${state}::text = 'answered' then submission end,
          opened_at = case when ${begins}::boolean then ${now}::timestamptz else opened_at end,
          open_at = case when ${begins}::boolean then ${now}::timestamptz else open_at end,
          attempts = case when ${begins}::boolean then 0 else attempts end,
          error_key = case when ${step !== undefined}::boolean then null else error_key end,
          remind_at = case when ${begins}::boolean then ${remind_at}::timestamptz else remind_at end,
          reminders = case when ${begins}::boolean then 0 else reminders end,
          overdue_at = case when ${begins}::boolean then ${overdue_at}::timestamptz else overdue_at end,
          changed_at = case when ${step !== undefined}::boolean then ${now}::timestamptz else changed_at end
        where service = ${kept.service} and flow_run_id = ${kept.flow_run_id}
          and state = ${kept.state} and node is not distinct from ${kept.node} and heard = ${kept.heard}
        returning service, flow_run_id, flow_id, state, status, node, look_at, heard, failures, opened_at, attempts, error_key, hold,
                  holder, held_by, held_until, submission, overdue_at, traceparent`,
      ),
    );
    return moved && { before: kept, run: moved, also: step?.also ?? [] };
  }

  /** Takes the oldest wanted turn that is open, for this holder. */
  async take(service: string, wanted: Wanted, { hold, holder, held_by, hold_seconds }: Holding): Promise<KeptTurn | undefined> {
    const { flow_id = null, flow_run_id = null } = wanted;
    const { next } = move(TURN, 'open', 'take')!;
    return one<KeptTurn>(
      this.db,
      prepared(
        'run_take',
        sql`
        update run set state = ${next}, hold = ${hold}, holder = ${holder}, held_by = ${held_by},
               held_until = clock_timestamp() + make_interval(secs => ${hold_seconds}), changed_at = ${this.clock.now()}
         where (service, flow_run_id) in (
           select service, flow_run_id from run
            where service = ${service} and state = 'open' and open_at <= ${this.clock.now()}
              and (${flow_id}::text is null or flow_id = ${flow_id})
              and (${flow_run_id}::text is null or flow_run_id = ${flow_run_id})
              and (${wanted.nodes ? [...wanted.nodes] : null}::text[] is null or node = any(${wanted.nodes ? [...wanted.nodes] : null}))
            order by opened_at, flow_run_id limit 1 for update skip locked)
        returning service, flow_run_id, flow_id, state, status, node, look_at, heard, failures, opened_at, attempts, error_key, hold,
                  holder, held_by, held_until, submission, overdue_at, traceparent`,
      ),
    );
  }

  /** Extends the hold on a turn. Returns undefined when the caller does not have the turn. */
  extend({ service, flow_run_id }: RunKey, { hold, holder, hold_seconds }: Omit<Holding, 'held_by'>): Promise<KeptTurn | undefined> {
    return one<KeptTurn>(
      this.db,
      sql`
      update run set held_until = clock_timestamp() + make_interval(secs => ${hold_seconds})
       where service = ${service} and flow_run_id = ${flow_run_id} and state = 'taken' and hold = ${hold} and holder = ${holder}
      returning *`,
    );
  }

  find({ service, flow_run_id }: RunKey): Promise<KeptRun | undefined> {
    return one<KeptRun>(
      this.db,
      prepared(
        'run_find',
        sql`
        select service, flow_run_id, flow_id, state, status, node, look_at, heard, failures, opened_at, attempts, error_key, hold, holder,
               held_by, held_until, submission, overdue_at, traceparent
          from run where service = ${service} and flow_run_id = ${flow_run_id}`,
      ),
    );
  }

  /** Stores sealed answers. From now on any replica may submit them. The run is claimed for the caller, who tries to submit them first. */
  async answered(kept: KeptTurn, submission: string): Promise<KeptTurn | undefined> {
    const step = move(TURN, kept.state, 'answer');
    if (!step) return undefined;
    const now = this.clock.now();
    return one<KeptTurn>(
      this.db,
      prepared(
        'run_answered',
        sql`
        update run set state = ${step.next}, submission = ${submission}, look_at = ${now}, error_key = null,
               claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), changed_at = ${now}
         where service = ${kept.service} and flow_run_id = ${kept.flow_run_id}
           and state = ${kept.state} and node = ${kept.node} and hold is not distinct from ${kept.hold}
        returning service, flow_run_id, flow_id, state, status, node, look_at, heard, failures, opened_at, attempts, error_key, hold,
                  holder, held_by, held_until, submission, overdue_at, traceparent`,
      ),
    );
  }

  /**
   * Gives a turn back, to be offered from `open_at` on. Counts an attempt of a taker that failed, or that the turn was not opened. A turn
   * that has lapsed stays with its holder when the holder has held it for longer meanwhile.
   */
  release(kept: KeptTurn, { counts, open_at, error_key, hasLapsed = false }: Released): Promise<KeptRun | undefined> {
    return this.changing(kept, async (tx, now) => {
      const isSame = now !== undefined && isSameTurn(now, kept) && (!hasLapsed || isSameHold(now, kept));
      const step = isSame ? move(TURN, now.state, 'release') : undefined;
      if (!step) return undefined;
      return one<KeptRun>(
        tx,
        sql`
        update run set state = ${step.next}, hold = null, holder = null, held_by = null, held_until = null, open_at = ${open_at},
               attempts = attempts + ${counts === 'attempts' ? 1 : 0}, failures = failures + ${counts === 'failures' ? 1 : 0},
               error_key = coalesce(${error_key}::text, error_key), changed_at = ${this.clock.now()}
         where service = ${kept.service} and flow_run_id = ${kept.flow_run_id} returning *`,
      );
    });
  }

  /** Returns turns that were held for too long. A person may forget a turn, but a service that lets one lapse has probably crashed. */
  lapsed(most: number): Promise<KeptTurn[]> {
    return many<KeptTurn>(
      this.db,
      sql`select * from run where state = 'taken' and held_until <= clock_timestamp() order by held_until limit ${most}`,
    );
  }

  /** Parks a turn that cannot go on by itself, unless it has changed since it was read. An operator offers it again. */
  park(kept: KeptRun, error_key: string): Promise<KeptRun | undefined> {
    return this.changing(kept, async (tx, now) => {
      const isSame = now !== undefined && now.state === kept.state && isSameTurn(now, kept) && isSameHold(now, kept);
      const step = isSame ? move(TURN, now.state, 'fail') : undefined;
      if (!step) return undefined;
      const parked = await one<KeptTurn>(
        tx,
        sql`
        update run set state = ${step.next}, error_key = ${error_key}, hold = null, holder = null, held_by = null, held_until = null,
               submission = null, claimed_until = null,
               look_at = ${this.nextCheckAt(step.next, this.clock.now())}, changed_at = ${this.clock.now()}
         where service = ${kept.service} and flow_run_id = ${kept.flow_run_id} returning *`,
      );
      if (step.also.includes('tell parked'))
        await addTurnEvent(tx, parked!, { event: 'parked', step: `${parked!.node}-${this.clock.now().getTime()}`, now: this.clock.now() });
      return parked;
    });
  }

  /** Offers a parked turn again, from the beginning, or has the documents of a parked run generated again. */
  resume(key: RunKey): Promise<KeptRun | undefined> {
    return this.changing(key, async (tx, now) => {
      const step = now && move(TURN, now.state, isParkedGeneration(now) ? 'generate' : 'resume');
      if (!step) return undefined;
      return one<KeptRun>(
        tx,
        sql`
        update run set state = ${step.next}, error_key = null, attempts = 0, failures = 0, open_at = ${this.clock.now()},
               look_at = ${this.clock.now()}, changed_at = ${this.clock.now()}
         where service = ${key.service} and flow_run_id = ${key.flow_run_id} returning *`,
      );
    });
  }

  /** Deletes a run that the platform no longer knows. */
  async forget({ service, flow_run_id }: RunKey): Promise<void> {
    await execute(this.db, sql`delete from run where service = ${service} and flow_run_id = ${flow_run_id}`);
  }

  turns(service: string, { flow_id = null, flow_run_id = null, state = null, limit, after }: TurnsQuery) {
    const [since, id] = after ?? [null, null];
    return many<KeptTurn>(
      this.db,
      sql`
      select * from run
       where service = ${service} and state in ('open', 'taken', 'answered', 'parked')
         and (${flow_id}::text is null or flow_id = ${flow_id}) and (${state}::text is null or state = ${state})
         and (${flow_run_id}::text is null or flow_run_id = ${flow_run_id})
         and (${since}::timestamptz is null or (opened_at, flow_run_id) > (${since}::timestamptz, ${id}))
       order by opened_at, flow_run_id limit ${limit}`,
    );
  }

  /** Returns how many runs are in each state, how many of them fail again and again, and since when the oldest turn waits. */
  async counts(): Promise<{ state: KeptRun['state']; count: number; failing: number; oldest: Date | null }[]> {
    return many(
      this.db,
      sql`
      select state, count(*)::integer as count, (count(*) filter (where failures >= ${FAILING}))::integer as failing,
             min(opened_at) as oldest
        from run where state <> 'ended' group by state`,
    );
  }

  /** Deletes runs that ended before `before`, at most `most` of them. Returns how many. */
  async forgetEnded(before: Date, most: number): Promise<number> {
    const gone = await many(
      this.db,
      sql`
      delete from run where (service, flow_run_id) in (
        select service, flow_run_id from run where state = 'ended' and changed_at < ${before}
         order by changed_at limit ${most} for update skip locked)
      returning 1 as gone`,
    );
    return gone.length;
  }

  private nextCheckAt(state: TurnState, now: Date): Date | null {
    if (state === 'ended') return null;
    if (state === 'generating') return now;
    return new Date(now.getTime() + (state === 'watched' ? CHECK_AGAIN_MS.watched : CHECK_AGAIN_MS.turn));
  }

  private changing<T>({ service, flow_run_id }: RunKey, change: (tx: Db, kept: KeptRun | undefined) => Promise<T>): Promise<T> {
    return this.db.transaction(async (tx) => {
      const kept = await one<KeptRun>(tx, sql`select * from run where service = ${service} and flow_run_id = ${flow_run_id} for update`);
      return change(tx, kept);
    });
  }
}

/** A run whose documents are generated has no deadlines: nobody is reminded of what is done as soon as it can be. */
const NO_DEADLINES = { remind_at: null, overdue_at: null };

const hasMoved = (before: KeptRun, now: KeptRun): boolean => before.state !== now.state || before.node !== now.node;

/** Whether this is still the same turn: the run is at the same node, and the turn was not given to another holder. */
const isSameTurn = (now: KeptRun, kept: KeptRun): boolean => now.node === kept.node && now.hold === kept.hold;

/** Whether the holder has not held the turn for longer. */
const isSameHold = (now: KeptRun, kept: KeptRun): boolean => now.held_until?.getTime() === kept.held_until?.getTime();
