import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal, type AppEvent } from '@codase/contracts';
import type { Person } from '@codase/testing';
import type { Login, Logins } from './logins.ts';
import type { StepWatcher } from './step-watcher.ts';

const AGAIN_MS = 300;
/** How often a phone lists its cards by itself, in case its stream hangs. */
const CHECK_MS = 3000;
const TOO_LATE = ['twofa.challenge_closed', 'twofa.challenge_not_found'];

/** The phones of persons. Taps are recorded before they are made, so an approval without a recorded tap was never given. */
export class Phones {
  readonly approved = new Set<string>();
  private readonly answered = new Set<Login>();
  private readonly tapping = new Set<Promise<void>>();
  private readonly over = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logins: Logins,
    private readonly watcher: StepWatcher,
  ) {}

  open(persons: readonly Person[]): void {
    setMaxListeners(0, this.over.signal); // each phone adds a listener
    this.running = Promise.all(persons.flatMap((person) => [this.listens(person), this.visits(person)]));
  }

  async done(): Promise<void> {
    await Promise.all(this.tapping);
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.running;
  }

  /** Holds a stream, and reconnects after the last event that it got. */
  private async listens(person: Person): Promise<void> {
    const { signal } = this.over;
    for (let after: string | undefined; !signal.aborted; await pause(AGAIN_MS)) {
      const stream = person.phone.listens(after === undefined ? {} : { after });
      const leave = () => void stream.leaves();
      signal.addEventListener('abort', leave);
      try {
        for (;;) {
          const event: AppEvent = await stream.next();
          after = event.id;
          if (event.event === 'challenge_raised') this.shows(event.data);
        }
      } catch {
        signal.removeEventListener('abort', leave);
        await stream.leaves();
      }
    }
  }

  private async visits(person: Person): Promise<void> {
    while (!this.over.signal.aborted) {
      const login = this.logins.ofPerson(person);
      const isWaiting = login?.reached.has('raised') && !this.answered.has(login);
      if (isWaiting) for (const card of await person.phone.cards().catch(() => [])) this.shows(card);
      await pause(CHECK_MS, undefined, { signal: this.over.signal }).catch(() => undefined);
    }
  }

  /** Answers each card once, however often it is shown. */
  private shows({ challenge_id, context, expires_at }: { challenge_id: string; context: string; expires_at: string }): void {
    const login = this.logins.ofCard(context);
    if (!login || this.answered.has(login)) return;
    this.answered.add(login);
    this.watcher.seen('card shown', login);
    if (login.tap === 'nothing') return;
    const tapped = this.taps(login, challenge_id, new Date(expires_at)).finally(() => this.tapping.delete(tapped));
    this.tapping.add(tapped);
  }

  /** Taps until the platform has answered or the challenge has expired. The digits are known once the login is raised. */
  private async taps(login: Login, challenge_id: string, until: Date): Promise<void> {
    for (; new Date() < until; await pause(AGAIN_MS)) {
      if (login.tap !== 'deny' && !login.raised) continue;
      if (login.tap === 'approve') this.approved.add(challenge_id);
      const tapped = this.tap(login, challenge_id);
      this.watcher.seen('tapped', login);
      if (await tapped) return;
    }
  }

  /** Taps once. Returns whether the platform has answered. */
  private async tap({ person, tap, raised }: Login, challenge_id: string): Promise<boolean> {
    const digits = raised?.matching_digits;
    try {
      if (tap === 'deny') await person.phone.denies({ challenge_id });
      else await person.phone.approves({ challenge_id }, { digits: tap === 'approve' ? digits : otherThan(digits!) });
      return true;
    } catch (error) {
      return error instanceof Refusal && TOO_LATE.includes(error.key);
    }
  }
}

const otherThan = (digits: string): string => String((Number(digits) + 1) % 100).padStart(2, '0');
