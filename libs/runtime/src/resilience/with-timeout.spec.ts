import { isDoneWithin, withTimeout } from './with-timeout.ts';

const late = () => new Error('late');
const never = new Promise<never>(() => undefined);

describe('work with a timeout', () => {
  it('returns the result or the error of the work', async () => {
    expect(await withTimeout(1000, Promise.resolve('done'), late)).toBe('done');
    await expect(withTimeout(1000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  });

  it('fails with the given error when the timeout elapses', async () => {
    await expect(withTimeout(5, never, late)).rejects.toThrow('late');
  });

  it('is cancelled when the timeout elapses, and the error of the cancelled work is ignored', async () => {
    const cancel = new AbortController();
    const heeding = new Promise<never>((_, reject) => cancel.signal.addEventListener('abort', () => reject(new Error('cancelled'))));

    await expect(withTimeout(5, heeding, late, cancel)).rejects.toThrow('late');
    expect(cancel.signal.aborted).toBe(true);
  });

  it('reports whether it is done within the timeout', async () => {
    expect(await isDoneWithin(1000, Promise.resolve())).toBe(true);
    expect(await isDoneWithin(5, never)).toBe(false);
    await expect(isDoneWithin(1000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
