import type { Refusal } from '@cds/contracts';
import { Places } from './places.ts';

const refusalOf = (take: () => unknown): string | undefined => {
  try {
    take();
    return undefined;
  } catch (error) {
    return (error as Refusal).key;
  }
};

describe('places for drains @gap D1-4.3', () => {
  it('are two for a channel', () => {
    const places = new Places(10);
    const leave = places.take('ser_1');
    places.take('ser_1');

    expect(refusalOf(() => places.take('ser_1'))).toBe('rate_limit.exceeded');
    expect(refusalOf(() => places.take('ser_2'))).toBeUndefined();
    leave();
    expect(refusalOf(() => places.take('ser_1'))).toBeUndefined();
  });

  it('are so many in all, and each given back is one to take', () => {
    const places = new Places(3);
    const [leave] = ['ser_1', 'ser_2', 'ser_3'].map((channel) => places.take(channel));

    expect(refusalOf(() => places.take('ser_4'))).toBe('rate_limit.exceeded');
    leave!();
    expect(refusalOf(() => places.take('ser_4'))).toBeUndefined();
    expect(refusalOf(() => places.take('ser_5'))).toBe('rate_limit.exceeded');
  });
});
