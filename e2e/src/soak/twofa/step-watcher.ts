import { setTimeout as pause } from 'node:timers/promises';
import { CHALLENGE_COMPLETED, CHALLENGE_EVENT, FEED, filter, operation, RAISE_CHALLENGE, twofa, valuesOf } from '@cds/contracts';
import type { World } from '@cds/testing';
import pg from 'pg';
import type { Cleanup } from '../cleanup.ts';
import type { Login, Logins } from './logins.ts';
import { ROW_STEPS, type RowStep, type Step } from './steps.ts';

const CHANNEL = 'soak_steps';
const RECONNECT_MS = 200;
/** Far longer than a login takes, also while something is broken. */
const NOBODY_CAME_MS = 240_000;

/** What is done at the moment in which a login reaches a step; undefined where it is not done to this one. */
type Strike = (login: Login) => Promise<unknown> | undefined;

interface Aim {
  step: Step;
  strike: Strike;
  hit(struck: Promise<unknown>): void;
}

/**
 * Sees logins reach their steps, from outside: by the messages on the bus, by triggers of its own on the tables, by what askers and phones
 * see. Whoever aims at a step is called in the turn of the event loop in which it is seen.
 */
export class StepWatcher {
  private aim: Aim | undefined;
  /** Reply subjects of requests that are under way, and what their answer is. */
  private readonly replies = new Map<string, { login: Login; step: Step }>();
  private isOver = false;

  private constructor(private readonly logins: Logins) {}

  static async open(world: World, logins: Logins, cleanup: Cleanup): Promise<StepWatcher> {
    const watcher = new StepWatcher(logins);
    await watcher.watchBus(world);
    for (const database of ['twofa', 'region_eu', 'region_us'] as const) await watcher.watchRows(world, database, cleanup);
    return watcher;
  }

  /** Strikes at the next login that reaches the step and is struck at. Answers whether one was, before the signal came. */
  at(step: Step, strike: Strike, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => over(() => reject(new Error(`no login came to the step '${step}'`))), NOBODY_CAME_MS);
      const over = (settle: () => void) => {
        clearTimeout(timer);
        this.aim = undefined;
        signal.removeEventListener('abort', abort);
        settle();
      };
      const abort = () => over(() => resolve(false));
      this.aim = { step, strike, hit: (struck) => over(() => struck.then(() => resolve(true), reject)) };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  }

  /** A login has come to a step; later times are the work of repeats. */
  seen(step: Step, login: Login | undefined): void {
    if (!login || login.reached.has(step)) return;
    login.reached.add(step);
    const { aim } = this;
    if (aim?.step !== step) return;
    const struck = aim.strike(login);
    if (struck) aim.hit(struck);
  }

  private async watchBus(world: World): Promise<void> {
    const [twofaBus, gateway, feed] = await Promise.all(['twofa', 'gateway', 'feed-consumer'].map((account) => world.observer(account)));
    const [raise, poll] = [operation(twofa.raiseChallenge), operation(twofa.pollChallenge)];
    const heard = (bus: typeof twofaBus, subject: string, take: (message: Heard) => void) =>
      bus!.connection.subscribe(subject, { callback: (_, message) => take(message) });

    heard(twofaBus, filter(RAISE_CHALLENGE), (message) =>
      this.seen('asked', this.logins.withKey(message.json<{ idempotency_key: string }>().idempotency_key)),
    );
    heard(twofaBus, filter(CHALLENGE_COMPLETED), ({ subject }) =>
      this.seen('outcome published', this.logins.ofChallenge(valuesOf(CHALLENGE_COMPLETED, subject)!.challenge_id)),
    );
    heard(gateway, filter(raise), (message) =>
      this.request('raise sent', 'raise answered', message, this.logins.withKey(bodyOf(message).idempotency_key)),
    );
    // Polls before the person has answered are no step: they change nothing.
    heard(gateway, filter(poll), (message) => {
      const login = this.logins.ofChallenge(message.json<{ params: { challenge_id: string } }>().params.challenge_id);
      if (login?.reached.has('answer recorded')) this.request('poll sent', 'outcome answered', message, login);
    });
    heard(gateway, '_R_.>', (message) => this.reply(message));
    heard(feed, filter(FEED, { event: CHALLENGE_EVENT }), (message) =>
      this.seen('event published', this.logins.ofChallenge(message.json<{ challenge_id: string }>().challenge_id)),
    );
    await Promise.all([twofaBus, gateway, feed].map((bus) => bus!.connection.flush()));
  }

  private request(step: Step, answer: Step, { reply }: Heard, login: Login | undefined): void {
    if (login && reply) this.replies.set(reply, { login, step: answer });
    this.seen(step, login);
  }

  /** A refusal is no answer to it: it is asked again. */
  private reply(message: Heard): void {
    const asked = this.replies.get(message.subject);
    if (!asked) return;
    this.replies.delete(message.subject);
    if (isOutcomeOrRaised(message)) this.seen(asked.step, asked.login);
  }

  private async watchRows(world: World, database: RowStep['database'], cleanup: Cleanup): Promise<void> {
    const connectionString = world.ownerDatabaseUrl(database);
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(triggersOf(database));
    await client.end();
    let listening = await this.listen(connectionString);
    const again = async () => {
      while (!this.isOver) {
        await listening.lost;
        await pause(RECONNECT_MS);
        if (!this.isOver) listening = await this.listen(connectionString).catch(() => listening);
      }
    };
    const running = again();
    cleanup.push(async () => {
      this.isOver = true;
      await listening.client.end().catch(() => undefined);
      await running;
    });
  }

  private async listen(connectionString: string): Promise<{ client: pg.Client; lost: Promise<void> }> {
    const client = new pg.Client({ connectionString });
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', resolve);
    });
    client.on('notification', ({ payload }) => this.row(JSON.parse(payload!) as [Step, string, string | null]));
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    return { client, lost };
  }

  private row([step, owner, challenge_id]: [Step, string, string | null]): void {
    const isOfTwofa = ROW_STEPS[step]!.owner === 'platform_key';
    this.seen(step, isOfTwofa ? this.logins.withKey(owner) : this.logins.ofRow(owner, challenge_id));
  }
}

interface Heard {
  subject: string;
  reply?: string;
  json<T>(): T;
}

const bodyOf = (message: Heard) => message.json<{ body: { idempotency_key: string } }>().body;

function isOutcomeOrRaised(message: Heard): boolean {
  const { challenge_id, completed_at } = message.json<{ challenge_id?: string; completed_at?: string }>();
  return challenge_id !== undefined || completed_at !== undefined;
}

/** Notifications come with the commit, so what is struck at them is struck after it. */
function triggersOf(database: RowStep['database']): string {
  const steps = Object.entries(ROW_STEPS).filter(([, row]) => row.database === database);
  const triggers = steps.map(
    ([step, { table, on, when, owner }], nth) => `
    create trigger soak_step_${nth} after ${on} on ${table} for each row ${when ? `when (${when})` : ''}
    execute function soak_step('${step}', '${owner}');`,
  );
  return `
    create function soak_step() returns trigger language plpgsql as $$
    begin
      perform pg_notify('${CHANNEL}', json_build_array(
        tg_argv[0], to_jsonb(new) ->> tg_argv[1], coalesce(to_jsonb(new) ->> 'challenge_id', to_jsonb(new) ->> 'object_id'))::text);
      return null;
    end $$;
    ${triggers.join('\n')}`;
}
