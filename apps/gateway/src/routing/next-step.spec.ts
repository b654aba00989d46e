import { companyData, feed, isIdempotent, messages, Refusal, twofa, type Endpoint } from '@codase/contracts';
import { nextStep, noProgress, finalError, type Progress } from './next-step.ts';

const step = (error: unknown, { contract = companyData.whoami as Endpoint, progress = {} as Partial<Progress>, base = 'http://eu' } = {}) =>
  nextStep({ error, safe: isIdempotent(contract), progress: { ...noProgress(), ...progress }, base });
const broken = (code: string) => new Error('fetch failed', { cause: Object.assign(new Error(code), { code }) });

describe('next step after a failed call', () => {
  it('renews a refused token once', () => {
    expect(step(new Refusal('auth.token_invalid'))).toEqual({ do: 'renew' });
    expect(step(new Refusal('auth.token_invalid'), { progress: { renewed: true } })).toEqual({ do: 'give_up' });
  });

  it('follows the base URL of a 421 once @spec D1-5.6', () => {
    const elsewhere = (api_url: string) => new Refusal('region.rebase_required', { api_url });

    expect(step(elsewhere('http://us'))).toEqual({ do: 'rebase', api_url: 'http://us' });
    expect(step(elsewhere('http://us'), { progress: { rebased: true } })).toEqual({ do: 'give_up' });
    expect(step(elsewhere('nonsense'))).toEqual({ do: 'give_up' });
  });

  it('never follows a base URL that is less protected than the current one', () => {
    expect(step(new Refusal('region.rebase_required', { api_url: 'http://us' }), { base: 'https://eu' })).toEqual({ do: 'give_up' });
    expect(step(new Refusal('region.rebase_required', { api_url: 'ftp://us' }))).toEqual({ do: 'give_up' });
  });

  it("waits as long as the platform's Retry-After says, for writes too, because nothing was done @spec D1-7", () => {
    expect(step(new Refusal('db.writes_paused'), { contract: messages.sendMessage })).toEqual({ do: 'wait', ms: 30_000 });
    expect(step(new Refusal('platform.out_of_order').after(2))).toEqual({ do: 'wait', ms: 2000 });
    expect(step(new Refusal('rate_limit.exceeded').after(3))).toEqual({ do: 'slow_down', seconds: 3 });
    expect(step(new Refusal('db.writes_paused'), { progress: { waits: 10 } })).toEqual({ do: 'give_up' });
  });

  it('returns other refusals to the caller', () => {
    const refusal = new Refusal('twofa.too_many_pending');

    expect(step(refusal, { contract: twofa.raiseChallenge })).toEqual({ do: 'give_up' });
    expect(finalError(refusal, false)).toBe(refusal);
  });

  it('repeats a read once after a broken connection, and never a drain or a write', () => {
    expect(step(broken('ECONNRESET'))).toMatchObject({ do: 'wait' });
    expect(step(broken('ECONNRESET'), { progress: { repeated: true } })).toEqual({ do: 'give_up' });
    for (const contract of [feed.drainChanges, messages.sendMessage, twofa.pollChallenge]) {
      expect(step(broken('ECONNRESET'), { contract })).toEqual({ do: 'give_up' });
    }
    expect(finalError(broken('ECONNRESET'), true)).toMatchObject({
      key: 'service.unavailable',
      message: expect.stringContaining('repeat the call later'),
    });
    expect(finalError(broken('ECONNRESET'), false)).toMatchObject({
      key: 'service.unavailable',
      message: expect.stringContaining('may have taken effect'),
    });
  });

  it('repeats a read once when the platform is unavailable', () => {
    expect(step(new Refusal('service.unavailable'))).toMatchObject({ do: 'wait' });
    expect(step(new Refusal('service.unavailable'), { contract: messages.sendMessage })).toEqual({ do: 'give_up' });
  });

  it('repeats any call that was never sent', () => {
    expect(step(broken('ECONNREFUSED'), { contract: feed.drainChanges })).toMatchObject({ do: 'wait' });
    expect(step(broken('ECONNREFUSED'), { progress: { repeated: true } })).toEqual({ do: 'give_up' });
    expect(finalError(broken('ECONNREFUSED'), false)).toMatchObject({ message: expect.stringContaining('nothing was sent') });
  });

  it('gives up when the time is over or the error is a bug of ours', () => {
    const bug = new TypeError('x is not a function');

    expect(step(broken('UND_ERR_HEADERS_TIMEOUT'))).toEqual({ do: 'give_up' });
    expect(finalError(broken('UND_ERR_HEADERS_TIMEOUT'), true)).toMatchObject({ message: expect.stringContaining('in time') });
    expect(step(bug)).toEqual({ do: 'give_up' });
    expect(finalError(bug, true)).toBe(bug);
  });

  it('treats a destructive read as not repeatable, and a write with an idempotency key as repeatable', () => {
    const contracts = [companyData.whoami, feed.drainChanges, twofa.pollChallenge, messages.sendMessage, twofa.raiseChallenge];
    expect(contracts.map(isIdempotent)).toEqual([true, false, false, false, true]);
  });
});
