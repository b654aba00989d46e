import { companyData, feed, isIdempotent, messages, Refusal, twofa, type Endpoint } from '@codase/contracts';
import { nextStep, noProgress, finalError, type Progress } from './next-step.ts';

const step = (error: unknown, { contract = companyData.whoami as Endpoint, progress = {} as Partial<Progress>, base = 'http://eu' } = {}) =>
  nextStep({ error, safe: isIdempotent(contract), progress: { ...noProgress(), ...progress }, base });
const broken = (code: string) => new Error('fetch failed', { cause: Object.assign(new Error(code), { code }) });

describe('the next step of a call that failed', () => {
  it('is a new token, once', () => {
    expect(step(new Refusal('auth.token_invalid'))).toEqual({ do: 'renew' });
    expect(step(new Refusal('auth.token_invalid'), { progress: { renewed: true } })).toEqual({ do: 'give_up' });
  });

  it('is the base a 421 names, once @spec D1-5.6', () => {
    const elsewhere = (api_url: string) => new Refusal('region.rebase_required', { api_url });

    expect(step(elsewhere('http://us'))).toEqual({ do: 'rebase', api_url: 'http://us' });
    expect(step(elsewhere('http://us'), { progress: { rebased: true } })).toEqual({ do: 'give_up' });
    expect(step(elsewhere('nonsense'))).toEqual({ do: 'give_up' });
  });

  it('is never a base less protected than the one that named it', () => {
    expect(step(new Refusal('region.rebase_required', { api_url: 'http://us' }), { base: 'https://eu' })).toEqual({ do: 'give_up' });
    expect(step(new Refusal('region.rebase_required', { api_url: 'ftp://us' }))).toEqual({ do: 'give_up' });
  });

  it('is to wait as long as the platform says, writes included, as it has done nothing @spec D1-7', () => {
    expect(step(new Refusal('db.writes_paused'), { contract: messages.sendMessage })).toEqual({ do: 'wait', ms: 30_000 });
    expect(step(new Refusal('platform.out_of_order').after(2))).toEqual({ do: 'wait', ms: 2000 });
    expect(step(new Refusal('rate_limit.exceeded').after(3))).toEqual({ do: 'slow_down', seconds: 3 });
    expect(step(new Refusal('db.writes_paused'), { progress: { waits: 10 } })).toEqual({ do: 'give_up' });
  });

  it('is to leave refusals to the one who asked', () => {
    const refusal = new Refusal('twofa.too_many_pending');

    expect(step(refusal, { contract: twofa.raiseChallenge })).toEqual({ do: 'give_up' });
    expect(finalError(refusal, false)).toBe(refusal);
  });

  it('repeats a read whose line broke, once, and a drain or a write never', () => {
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

  it('repeats a read once when the platform has lost its head', () => {
    expect(step(new Refusal('service.unavailable'))).toMatchObject({ do: 'wait' });
    expect(step(new Refusal('service.unavailable'), { contract: messages.sendMessage })).toEqual({ do: 'give_up' });
  });

  it('repeats anything that was never sent', () => {
    expect(step(broken('ECONNREFUSED'), { contract: feed.drainChanges })).toMatchObject({ do: 'wait' });
    expect(step(broken('ECONNREFUSED'), { progress: { repeated: true } })).toEqual({ do: 'give_up' });
    expect(finalError(broken('ECONNREFUSED'), false)).toMatchObject({ message: expect.stringContaining('nothing was sent') });
  });

  it('is nothing when the time is over, or when the fault is our own', () => {
    const bug = new TypeError('x is not a function');

    expect(step(broken('UND_ERR_HEADERS_TIMEOUT'))).toEqual({ do: 'give_up' });
    expect(finalError(broken('UND_ERR_HEADERS_TIMEOUT'), true)).toMatchObject({ message: expect.stringContaining('in time') });
    expect(step(bug)).toEqual({ do: 'give_up' });
    expect(finalError(bug, true)).toBe(bug);
  });

  it('knows the reads that take away what they answer, and the write that a key makes known', () => {
    const contracts = [companyData.whoami, feed.drainChanges, twofa.pollChallenge, messages.sendMessage, twofa.raiseChallenge];
    expect(contracts.map(isIdempotent)).toEqual([true, false, false, false, true]);
  });
});
