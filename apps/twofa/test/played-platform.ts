import { CHALLENGE_EVENT, FEED, operation, Refusal, twofa, type ChallengeOutcome, type NewChallenge } from '@codase/contracts';
import { makeConsumers, type Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import type { World } from '@codase/testing';

const DIGITS = '42';
const LIFETIME_MS = 300_000;

interface Challenge {
  challenge_id: string;
  body: NewChallenge;
  expires_at: Date;
  outcome?: { status: ChallengeOutcome; completed_at: string };
  isConsumed: boolean;
  polls: number;
}

/**
 * Plays the gateway with a platform behind it: challenges by their key, and outcomes that are answered once. A test chooses what happens
 * after an outcome is consumed and before it is answered.
 */
export class PlayedPlatform {
  readonly challenges = new Map<string, Challenge>();
  /** Called before each raise and each poll. */
  onRaise: () => Promise<void> | void = () => undefined;
  onPoll: (challenge: Challenge) => Promise<void> | void = () => undefined;
  /** Called after an outcome was consumed, before it is answered. */
  onConsumed: () => Promise<void> | void = () => undefined;
  raises = 0;
  private made = 0;
  private events = 0;

  private constructor(
    readonly gateway: Bus,
    private readonly feed: Bus,
    private readonly now: () => Date,
  ) {}

  static async open(world: World, now = () => new Date()): Promise<PlayedPlatform> {
    const [gateway, feed] = [await world.busAs('gateway'), await world.busAs('feed-consumer')];
    const platform = new PlayedPlatform(gateway, feed, now);
    await makeConsumers(feed, FEED.stream!, silentLog);
    await gateway.answer(operation(twofa.raiseChallenge), {}, (message) => platform.raise((message as { body: NewChallenge }).body));
    await gateway.answer(operation(twofa.pollChallenge), {}, (message) =>
      platform.poll((message as { params: { challenge_id: string } }).params.challenge_id),
    );
    return platform;
  }

  /** The person answers. An event reports it, unless the test wants none. */
  async answers(challenge_id: string, status: ChallengeOutcome = 'approved', { withEvent = true, service = 'shop' } = {}): Promise<void> {
    const challenge = this.challenges.get(challenge_id)!;
    challenge.outcome ??= { status, completed_at: this.now().toISOString() };
    if (withEvent) await this.tells(challenge_id, status, service);
  }

  /** Publishes the event alone, without an answer of the person. */
  async tells(challenge_id: string, status: string, service = 'shop'): Promise<void> {
    const at = this.now().toISOString();
    const id = `evt_${++this.events}`;
    const event = { event: CHALLENGE_EVENT, id, person_user_id: 'usr_ana', share_code: 'ANA', at, challenge_id, status, completed_at: at };
    await this.feed.publish(FEED, { service, event: CHALLENGE_EVENT, partition: 'p00' }, event as never, `${service}:${id}`);
  }

  private async raise(body: NewChallenge) {
    this.raises++;
    await this.onRaise();
    const known = [...this.challenges.values()].find((one) => one.body.idempotency_key === body.idempotency_key);
    const challenge = known ?? this.add(body);
    const { challenge_id, expires_at } = challenge;
    return { challenge_id, status: 'pending' as const, expires_at: expires_at.toISOString(), matching_digits: DIGITS };
  }

  private add(body: NewChallenge): Challenge {
    const expires_at = new Date(this.now().getTime() + LIFETIME_MS);
    const challenge = { challenge_id: `chal_${++this.made}`, body, expires_at, isConsumed: false, polls: 0 };
    this.challenges.set(challenge.challenge_id, challenge);
    return challenge;
  }

  private async poll(challenge_id: string) {
    const challenge = this.challenges.get(challenge_id);
    if (!challenge) throw new Refusal('twofa.challenge_not_found');
    challenge.polls++;
    await this.onPoll(challenge);
    if (challenge.isConsumed) throw new Refusal('twofa.result_consumed');
    const { outcome, expires_at } = challenge;
    if (!outcome && this.now() < expires_at) return { status: 'pending' as const, expires_at: expires_at.toISOString() };
    challenge.isConsumed = true;
    await this.onConsumed();
    return outcome ?? { status: 'expired' as const, completed_at: expires_at.toISOString() };
  }
}
