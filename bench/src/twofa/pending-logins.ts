import { setTimeout as pause } from 'node:timers/promises';
import { operation, twofa } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import type { DataSource } from 'typeorm';
import type { Contender } from '../harness/bench.ts';
import { statementsOn } from '../harness/database.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const LIFETIME_MS = 300_000;
/** When an unanswered challenge is polled, counted from its raise: the pauses double from two seconds. */
const POLLED_AT_MS = [2, 6, 14, 30, 62, 126, 246].map((seconds) => seconds * 1000);

/** Keeps a constant number of unanswered challenges, of all ages, each with its polls. The gateway is simulated. */
export class PendingLogins {
  private made = 0;
  private polls = 0;

  private constructor(
    private readonly db: DataSource,
    private readonly poller: ServerProcess,
    private readonly pending: number,
  ) {}

  static async open(gateway: Bus, db: DataSource, poller: ServerProcess, pending: number): Promise<PendingLogins> {
    const logins = new PendingLogins(db, poller, pending);
    await gateway.answer(operation(twofa.pollChallenge), {}, (message) =>
      logins.answer((message as { params: { challenge_id: string } }).params.challenge_id),
    );
    return logins;
  }

  /** Measures all CPU of the poller's process, and of no other. */
  readonly run: Contender<unknown> = async ({ seconds }) => {
    await this.add(Array.from({ length: this.pending }, (_, nth) => (nth / this.pending) * LIFETIME_MS));
    const [cpu, polls, start] = [this.poller.cpuMicroseconds, this.polls, performance.now()];
    let renewed = 0;
    for (let passed = 0; passed < seconds * 1000; passed = performance.now() - start) {
      const due = Math.floor((passed / LIFETIME_MS) * this.pending) - renewed;
      if (due > 0) await this.add(Array.from({ length: due }, () => 0));
      renewed += due;
      await pause(100);
    }
    const tookMs = performance.now() - start;
    const figures = { core_percent: (this.poller.cpuMicroseconds - cpu) / 10 / tookMs };
    const operations = this.polls - polls;
    await statementsOn(this.db)`delete from challenge`;
    return { operations, seconds: tookMs / 1000, figures };
  };

  private answer(challenge_id: string) {
    this.polls++;
    const expires_at = new Date(Number(challenge_id.split('_')[1]));
    return expires_at > new Date()
      ? { status: 'pending' as const, expires_at: expires_at.toISOString() }
      : { status: 'expired' as const, completed_at: expires_at.toISOString() };
  }

  private async add(ages: readonly number[]): Promise<void> {
    const now = Date.now();
    const rows = ages.map((age) => {
      const requested = now - age;
      const next = POLLED_AT_MS.find((at) => at > age) ?? LIFETIME_MS + 500;
      return {
        challenge_id: `chal_${Math.round(requested + LIFETIME_MS)}_${++this.made}`,
        requested_at: new Date(requested),
        expires_at: new Date(requested + LIFETIME_MS),
        polls: POLLED_AT_MS.filter((at) => at <= age).length,
        poll_at: new Date(requested + next),
      };
    });
    await statementsOn(this.db)`
      insert into challenge (service, asker, platform_key, body_digest, state, challenge_id, requested_at, expires_at, polls, poll_at)
      select 'shop', 'shop-backend', challenge_id, 'digest', 'pending', challenge_id, requested_at, expires_at, polls, poll_at
        from json_to_recordset(${JSON.stringify(rows)}) as
          (challenge_id text, requested_at timestamptz, expires_at timestamptz, polls integer, poll_at timestamptz)`;
  }
}
