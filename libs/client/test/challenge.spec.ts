import { setTimeout as pause } from 'node:timers/promises';
import { RAISE_CHALLENGE, READ_CHALLENGE, Refusal, type LoginStatus } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { ManualClock } from '@codase/runtime/clock';
import { silentLog, type Facts } from '@codase/runtime/telemetry';
import { TestBus } from '@codase/testing';
import type { Subscription } from '@nats-io/transport-node';
import { connect, type CodaseClient } from '../src/index.ts';

const START = '2026-03-02T10:00:00.000Z';
const EXPIRES = '2026-03-02T10:05:00.000Z';
const login = { share_code: 'ANA', context: 'Sign-in from Berlin', key: 'login-1' };

/** Played answers of twofa, each of which a test may replace. */
class PlayedTwofa {
  readonly raises: object[] = [];
  readonly reads: object[] = [];
  raise: (attempt: number) => { status?: LoginStatus; expires_at?: string } = () => ({});
  read: (attempt: number) => LoginStatus | Promise<LoginStatus> = () => 'approved';

  async answers(bus: Bus): Promise<Subscription[]> {
    const raise = await bus.answer(RAISE_CHALLENGE, {}, (message) => {
      this.raises.push(message);
      return {
        challenge_id: 'chal_1',
        status: 'pending' as const,
        expires_at: EXPIRES,
        matching_digits: '42',
        ...this.raise(this.raises.length),
      };
    });
    const read = await bus.answer(READ_CHALLENGE, {}, async (message) => {
      this.reads.push(message);
      const status = await this.read(this.reads.length);
      return { challenge_id: 'chal_1', status, expires_at: EXPIRES, completed_at: status === 'pending' ? null : START };
    });
    return [raise, read];
  }
}

describe('a login that requests approval @spec D1-4.5', () => {
  let nats: TestBus;
  let bus: Bus;
  let codase: CodaseClient;
  let twofa: PlayedTwofa;
  let answering: Subscription[] = [];
  const clock = new ManualClock(START);
  beforeAll(async () => {
    nats = await TestBus.open();
    bus = await nats.connect();
    codase = await connect({ ...nats.credentials, service: 'shop', log: silentLog, clock });
  });
  beforeEach(async () => {
    twofa = new PlayedTwofa();
    answering = await twofa.answers(bus);
  });
  afterEach(() => Promise.all(answering.map((one) => one.drain())));
  afterAll(async () => {
    await codase?.close();
    await nats?.close();
  });

  it('shows the digits, and is approved when the person approves', async () => {
    const shown: unknown[] = [];
    const result = await codase.challenge(login, { onRaised: (raised) => shown.push(raised) });

    expect(result).toEqual({ approved: true, status: 'approved', challenge_id: 'chal_1' });
    expect(shown).toEqual([{ challenge_id: 'chal_1', expires_at: EXPIRES, matching_digits: '42' }]);
    expect(twofa.raises).toEqual([{ share_code: 'ANA', context: 'Sign-in from Berlin', idempotency_key: 'login-1' }]);
  });

  const noPage = new Error('no page');
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw noPage;
      },
    ],
    ['rejects', () => Promise.reject(noPage)],
  ])('continues when the callback that shows the digits %s, and logs the error', async (_, onRaised) => {
    const logged: unknown[] = [];
    const log = { ...silentLog, error: (message: string, { error }: Facts = {}) => void logged.push(message, error) };
    const other = await connect({ ...nats.credentials, service: 'shop', log, clock });

    expect(await other.challenge(login, { onRaised })).toMatchObject({ approved: true });
    expect(logged).toEqual(['onRaised of a challenge failed', noPage]);
    await other.close();
  });

  it('does not wait until the digits are shown', async () => {
    expect(await codase.challenge(login, { onRaised: () => new Promise(() => undefined) })).toMatchObject({ approved: true });
  });

  it.each(['denied', 'expired', 'revoked', 'lost', 'failed'] as const)('is not approved when it ends %s', async (status) => {
    twofa.read = () => status;
    expect(await codase.challenge(login)).toEqual({ approved: false, status, challenge_id: 'chal_1' });
  });

  it('logs a failed read, and reads again after a growing pause', async () => {
    const warned: object[] = [];
    const log = { ...silentLog, warn: (_: string, facts?: object) => void warned.push(facts ?? {}) };
    const other = await connect({ ...nats.credentials, service: 'shop', log, clock });
    twofa.read = (attempt) => {
      if (attempt < 3) throw new Refusal('service.unavailable');
      return 'denied';
    };

    expect(await other.challenge(login)).toMatchObject({ status: 'denied' });
    expect(warned).toEqual([1, 2].map((attempt) => expect.objectContaining({ 'codase.attempt': attempt })));
    await other.close();
  });

  it('is read again while it is pending or nobody answers', async () => {
    twofa.read = (attempt) => {
      if (attempt === 2) throw new Refusal('service.unavailable');
      return attempt < 4 ? 'pending' : 'denied';
    };
    expect(await codase.challenge(login)).toMatchObject({ approved: false, status: 'denied' });
    expect(twofa.reads).toHaveLength(4);
  });

  it('is raised with the same key until there is an answer', async () => {
    twofa.raise = (attempt) => {
      if (attempt < 3) throw new Refusal('service.unavailable');
      return {};
    };
    expect(await codase.challenge(login)).toMatchObject({ approved: true });
    expect(new Set(twofa.raises.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('returns the outcome that it already has under its key at once, and shows no digits', async () => {
    twofa.raise = () => ({ status: 'denied' });
    const shown: unknown[] = [];

    expect(await codase.challenge(login, { onRaised: (raised) => shown.push(raised) })).toMatchObject({
      approved: false,
      status: 'denied',
    });
    expect([shown, twofa.reads]).toEqual([[], []]);
  });

  it('is refused without a retry when the person is not enrolled', async () => {
    twofa.raise = () => {
      throw new Refusal('twofa.not_enrolled');
    };
    await expect(codase.challenge(login)).rejects.toMatchObject({ key: 'twofa.not_enrolled' });
    expect(twofa.raises).toHaveLength(1);
  });

  it('ends unanswered when no outcome comes in its lifetime', async () => {
    twofa.raise = () => ({ expires_at: '2026-03-02T09:59:30.500Z' }); // half a second and the grace period are left of its life
    twofa.read = () => 'pending';

    expect(await codase.challenge(login)).toEqual({ approved: false, status: 'unanswered', challenge_id: 'chal_1' });
    // No read waits so long that its reply would come after the end.
    expect(new Set(twofa.reads.map((read) => (read as { wait_seconds: number }).wait_seconds))).toEqual(new Set([0]));
  });

  it('can be cancelled while it waits, and is then not approved', async () => {
    const cancel = new AbortController();
    let approve: (status: LoginStatus) => void = () => undefined;
    twofa.read = () => {
      cancel.abort(new Error('the browser was closed'));
      return new Promise<LoginStatus>((resolve) => (approve = resolve));
    };
    await expect(codase.challenge(login, { signal: cancel.signal })).rejects.toThrow('the browser was closed');
    approve('approved');

    await expect(codase.challenge(login, { signal: cancel.signal })).rejects.toThrow('the browser was closed');
    expect(twofa.raises).toHaveLength(1);
  });

  it('is neither raised nor read again after it was cancelled', async () => {
    const [beforeItIsRaised, whileItIsRead] = [new AbortController(), new AbortController()];
    const ended = new Error('the browser was closed');
    twofa.raise = () => {
      setImmediate(() => beforeItIsRaised.abort(ended)); // in the pause before the next attempt
      throw new Refusal('service.unavailable');
    };
    await expect(codase.challenge(login, { signal: beforeItIsRaised.signal })).rejects.toThrow(ended);
    twofa.raise = () => ({});
    twofa.read = () => {
      whileItIsRead.abort(ended);
      return 'pending';
    };
    await expect(codase.challenge(login, { signal: whileItIsRead.signal })).rejects.toThrow(ended);

    await pause(1000); // longer than the pauses before another attempt
    expect([twofa.raises.length, twofa.reads.length]).toEqual([2, 1]);
  });

  it('ends unapproved when the client is closed, and is not read again', async () => {
    const warned: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warned.push(message) };
    const other = await connect({ ...nats.credentials, service: 'shop', log, clock });
    let approve: (status: LoginStatus) => void = () => undefined;
    const requested = new Promise<void>((resolve) => {
      twofa.read = () => {
        resolve();
        return new Promise<LoginStatus>((answer) => (approve = answer));
      };
    });
    const ended = other.challenge(login).catch((error: unknown) => error);
    await requested;
    await other.close();

    expect(await ended).toMatchObject({ key: 'service.unavailable', message: 'The client was closed' });
    approve('approved');
    await expect(other.challenge(login)).rejects.toThrow('The client was closed');
    expect([twofa.raises.length, twofa.reads.length, warned]).toEqual([1, 1, []]);
  });
});
