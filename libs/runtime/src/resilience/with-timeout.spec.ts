import { isDoneWithin, withTimeout } from './with-timeout.ts';

const late = () => new Error('late');
const never = new Promise<never>(() => undefined);

describe('work within a time', () => {
  it('answers, or fails, as it does', async () => {
    expect(await withTimeout(1000, Promise.resolve('done'), late)).toBe('done');
    await expect(withTimeout(1000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  });

  it('fails when the time is over, with the error it is given', async () => {
    await expect(withTimeout(5, never, late)).rejects.toThrow('late');
  });

  it('is cancelled then, and its own complaint about that is not heard', async () => {
    const cancel = new AbortController();
    const heeding = new Promise<never>((_, reject) => cancel.signal.addEventListener('abort', () => reject(new Error('cancelled'))));

    await expect(withTimeout(5, heeding, late, cancel)).rejects.toThrow('late');
    expect(cancel.signal.aborted).toBe(true);
  });

  it('is done or not', async () => {
    expect(await isDoneWithin(1000, Promise.resolve())).toBe(true);
    expect(await isDoneWithin(5, never)).toBe(false);
    await expect(isDoneWithin(1000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
