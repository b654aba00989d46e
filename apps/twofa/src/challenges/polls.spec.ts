import { CHALLENGE_POLLS_PER_MINUTE, CHALLENGE_SECONDS, Refusal } from '@codase/contracts';
import { closesAt, nextPollAt, signalOfAnswer, signalOfRefusal } from './polls.ts';

const START = new Date('2026-03-02T10:00:00Z');
const later = (seconds: number) => new Date(START.getTime() + seconds * 1000);
const END = later(CHALLENGE_SECONDS);

/** The seconds after the raise at which a challenge is polled when nobody answers it and no event about it comes. */
function pollsOf(expires_at: Date): number[] {
  const polls: number[] = [];
  for (let now = nextPollAt(START, 1, expires_at); now < closesAt(expires_at); now = nextPollAt(now, polls.length, expires_at))
    polls.push((now.getTime() - START.getTime()) / 1000);
  return polls;
}

describe('the polls of a challenge @spec D1-4.5', () => {
  it('become less frequent, and continue briefly after the challenge has expired', () => {
    expect(pollsOf(END)).toEqual([2, 4, 8, 16, 32, 64, 128, 248, 300.5, 304.5, 308.5, 312.5]);
  });

  it('stay below the rate limit of a service with a thousand open challenges', () => {
    expect((1000 * pollsOf(END).length) / CHALLENGE_SECONDS).toBeLessThan(50);
    const perMinute = pollsOf(END).map((from, index, all) => all.slice(index).filter((at) => at < from + 60).length);
    expect(Math.max(...perMinute)).toBeLessThan(CHALLENGE_POLLS_PER_MINUTE);
  });

  it("report the platform's status until the login closes", () => {
    const said = (['pending', 'approved', 'denied', 'expired', 'revoked'] as const).map((status) =>
      signalOfAnswer(status, END, later(314.9)),
    );
    expect(said).toEqual([undefined, 'approve', 'deny', 'lapse', 'revoke']);
  });

  it('approve nothing after the login has closed @gap D1-3.1', () => {
    expect(signalOfAnswer('approved', END, later(315))).toBe('close');
  });

  it('end the login on a refusal that later polls cannot change', () => {
    expect(signalOfRefusal(new Refusal('twofa.result_consumed'))).toBe('consumed');
    expect(signalOfRefusal(new Refusal('twofa.challenge_not_found'))).toBe('unknown');
    for (const key of ['twofa.unavailable', 'service.unavailable', 'twofa.rate_limited', 'auth.token_invalid'] as const)
      expect(signalOfRefusal(new Refusal(key))).toBeUndefined();
    expect(signalOfRefusal(new Error('no answer'))).toBeUndefined();
  });
});
