import { delayMs } from './failure-delay.ts';

describe('delay after wrong passwords @gap D1-8', () => {
  it.each([
    [1, 0],
    [4, 0],
    [5, 1],
    [6, 2],
    [7, 4],
    [16, 2048],
    [17, 3600],
    [5000, 3600],
  ])('after %d failures is %d seconds', (failures, seconds) => {
    expect(delayMs(failures)).toBe(seconds * 1000);
  });
});
