import { OPEN_PAYLOAD, OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY, type Sealed } from '@codase/contracts';
import { takeApart } from '@codase/crypto';
import { collectTelemetry, Marks } from '@codase/testing';
import { Suite } from './suite.ts';

const { spans, measured } = collectTelemetry();

describe('telemetry of the decryptor', () => {
  let suite: Suite;
  beforeAll(async () => {
    process.env['LOG_LEVEL'] = 'debug';
    suite = await Suite.open();
  });
  afterAll(() => suite?.close());

  it('contains counts and no plaintext in a log line, a span, a metric or a refusal', async () => {
    const [shop, feed] = [await suite.as('shop-backend'), await suite.as('feed-consumer')];
    const value = await suite.seals('shop', 'tattletale');
    const foreign = await suite.seals('desk', 'tattletale');
    const refusals: unknown[] = [];
    const noted = (request: Promise<unknown>) => request.catch((refusal: Error) => void refusals.push(refusal.message));
    const verification = { verified_salt: 'tattletale', verified_hash: '0'.repeat(64) };

    await shop.request(OPEN_VALUE, { service: 'shop' }, { value, field_type: 'date', verification });
    await shop.request(OPEN_VALUES, { service: 'shop' }, { values: [{ value }, { value: foreign }] });
    const { value_key } = await shop.request(UNWRAP_KEY, { service: 'shop' }, { wrapped_key: (await takeApart(value)).wrapped_key });
    await feed.request(OPEN_PAYLOAD, { service: 'shop' }, { envelope: await suite.wraps('tattletale') });
    await noted(shop.request(OPEN_VALUE, { service: 'shop' }, { value: foreign }));
    await noted(shop.request(OPEN_VALUE, { service: 'shop' }, { value: 'tattletale' as Sealed }));
    await noted(shop.request(OPEN_VALUE, { service: 'shop' }, { value, tattletale: 'tattletale' } as never));

    const said = await measured();
    expect(refusals).toHaveLength(3);
    expect(suite.lines.length).toBeGreaterThan(2);
    const traced = spans.getFinishedSpans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(traced.filter(({ name }) => name.startsWith('process codase.decryptor.v1.'))).toHaveLength(7);
    const marks = new Marks({ 'clear text': 'tattletale', 'the key of a value': value_key });
    for (const left of [JSON.stringify(traced), suite.lines.join(''), JSON.stringify(said), refusals.slice(0, 2).join('')])
      expect(marks.foundIn(left)).toEqual([]);
    expect(said).toEqual(
      expect.arrayContaining([
        { name: 'codase.decryptor.opened', value: 4, attributes: { 'codase.service': 'shop' } },
        { name: 'codase.decryptor.refused', value: 2, attributes: { 'codase.error_key': 'decryptor.unreadable' } },
        { name: 'codase.decryptor.queue', value: 0, attributes: {} },
        { name: 'codase.decryptor.batch.size', value: expect.objectContaining({ count: 5, sum: 6 }), attributes: {} },
      ]),
    );
  });
});
