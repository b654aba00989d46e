import { CHALLENGE_COMPLETED, CHALLENGE_EVENT, FEED, filter, operation, RAISE_CHALLENGE, twofa, valuesOf } from '@codase/contracts';
import type { World } from '@codase/testing';
import { Aims } from '../aimed-faults.ts';
import type { Cleanup } from '../cleanup.ts';
import { watchRows } from '../row-steps.ts';
import type { Login, Logins } from './logins.ts';
import { ROW_STEPS, type Step } from './steps.ts';

/** Watches logins reach their steps: by messages on the bus, triggers of its own, and what callers and phones see. */
export class StepWatcher {
  readonly aims = new Aims<Step, Login>();
  /** The reply subjects of requests under way, and the step that their answer is. */
  private readonly replies = new Map<string, { login: Login; step: Step }>();

  private constructor(private readonly logins: Logins) {}

  static async open(world: World, logins: Logins, cleanup: Cleanup): Promise<StepWatcher> {
    const watcher = new StepWatcher(logins);
    await watcher.watchBus(world);
    for (const [database, steps] of Object.entries(ROW_STEPS))
      await watchRows<Step>(
        world.databaseUrl(database as keyof typeof ROW_STEPS, 'owner'),
        steps,
        (...row) => watcher.row(...row),
        cleanup,
      );
    return watcher;
  }

  /** Reports that a login has reached a step. Only the first time counts, because later ones come from repeats. */
  seen(step: Step, login: Login | undefined): void {
    if (!login || login.reached.has(step)) return;
    login.reached.add(step);
    this.aims.reached(step, login);
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
    // Polls before the person has answered are no step, because they change nothing.
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

  /** Handles a reply. A refusal is no step, because the request is sent again. */
  private reply(message: Heard): void {
    const login = this.replies.get(message.subject);
    if (!login) return;
    this.replies.delete(message.subject);
    if (isOutcomeOrRaised(message)) this.seen(login.step, login.login);
  }

  /** Handles a row. Rows of twofa have the key, rows of a region the person and, when known, the challenge. */
  private row(step: Step, [owner, challenge_id, object_id]: readonly (string | null)[]): void {
    const isOfTwofa = step in ROW_STEPS.twofa;
    this.seen(step, isOfTwofa ? this.logins.withKey(owner!) : this.logins.ofRow(owner!, challenge_id ?? object_id ?? null));
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
