import { ENDPOINTS } from './endpoints.ts';
import * as decryptor from './decryptor/subjects.ts';
import * as feedConsumer from './feed-consumer/subjects.ts';
import * as flows from './flows/subjects.ts';
import * as twofa from './twofa/subjects.ts';
import { BUS_MESSAGE_BYTES, SEALED_CHARS } from './core/limits.ts';
import { at, filter, type Subject, valuesOf } from './core/subjects.ts';
import { DELIVERY_BYTES } from './feed-consumer/limits.ts';
import { EVENT } from './feed/examples.ts';
import { operation } from './gateway/operation.ts';

const suite = { ...feedConsumer, ...decryptor, ...twofa, ...flows };
const SUBJECTS = Object.values<unknown>(suite).filter(
  (value): value is Subject => typeof value === 'object' && value !== null && 'pattern' in value,
);

describe("the suite's subjects", () => {
  it('do not overlap, and each has either a stream or a reply', () => {
    const pairs = SUBJECTS.flatMap((one) => SUBJECTS.filter((other) => other !== one).map((other) => [one, other] as const));
    const overlap = pairs.filter(([one, other]) => valuesOf(one, filter(other).replaceAll('*', 'x')) !== undefined);

    expect(overlap.map(([one, other]) => `${one.pattern} ${other.pattern}`)).toEqual([]);
    expect(SUBJECTS.filter(({ stream, reply }) => (stream === undefined) === (reply === undefined))).toEqual([]);
  });

  it('let a subscriber filter events by service, kind and partition', () => {
    const subject = at(suite.FEED, { service: 'shop', event: EVENT.event, partition: 'p07' });

    expect(subject).toBe('codase.feed.v1.shop.field_updated.p07');
    expect(filter(suite.FEED, { service: 'shop' })).toBe('codase.feed.v1.shop.*.*');
    expect(suite.FEED.message.parse(EVENT)).toEqual(EVENT);
  });

  it('reject a value in the clear where a sealed one is to be opened', () => {
    expect(suite.OPEN_VALUE.message.safeParse({ value: 'Main Street 1' }).success).toBe(false);
    expect(suite.OPEN_VALUES.message.safeParse({ values: [] }).success).toBe(false);
    expect(suite.OPEN_VALUES.message.safeParse({ values: [{ value: 'Main Street 1' }] }).success).toBe(false);
  });

  it('accept an envelope up to the maximum length of a webhook delivery', () => {
    const sealed = (chars: number) => JSON.stringify({ _enc: 1, k: 'A'.repeat(342) + '==', iv: 'A'.repeat(16), d: 'A'.repeat(chars) });
    const takes = (chars: number) => suite.OPEN_PAYLOAD.message.safeParse({ envelope: sealed(chars) }).success;

    expect(takes(4 * Math.ceil((SEALED_CHARS + 4096) / 3))).toBe(true);
    expect(takes(DELIVERY_BYTES - 1024)).toBe(true);
    expect(takes(DELIVERY_BYTES)).toBe(false);
    expect(DELIVERY_BYTES).toBeLessThan(BUS_MESSAGE_BYTES);
  });

  it('give every data operation a subject of its own at the gateway', () => {
    const patterns = ENDPOINTS.map((contract) => operation(contract).pattern);

    expect(new Set(patterns).size).toBe(ENDPOINTS.length);
  });
});
