import { subject } from '@codase/contracts';
import { ensureStream, MAX_SINGLE_MESSAGES, Publisher, type Bus, type Outgoing } from '@codase/runtime/bus';
import { TestBus } from '@codase/testing';
import { z } from 'zod';

const REPORTED = subject('test.reported.{nth}', { stream: 'REPORTED', message: z.unknown() });
const messages = (from: number, to: number): Outgoing[] =>
  Array.from({ length: to - from }, (_, i) => ({
    subject: 'test.reported.x',
    body: Buffer.from(String(from + i)),
    id: `id-${from + i}`,
    headers: { 'ce-id': String(from + i) },
  }));

describe('the publisher', () => {
  let nats: TestBus;
  let bus: Bus;
  beforeAll(async () => {
    nats = await TestBus.open();
  });
  afterAll(() => nats?.close());
  beforeEach(async () => {
    bus = await nats.connect();
  });
  afterEach(() => nats.clear());

  const stored = async () => {
    const manager = await bus.manager();
    const { messages: count } = (await manager.streams.info('REPORTED')).state;
    const all = [];
    for (let seq = 1; seq <= count; seq++) all.push((await manager.streams.getMessage('REPORTED', { seq }))!);
    return all;
  };
  const texts = async () => (await stored()).map(({ data }) => Buffer.from(data).toString());
  const numbers = (most: number) => Array.from({ length: most }, (_, n) => String(n));

  it('stores all messages on the stream, in order, with their headers', async () => {
    await ensureStream(bus, 'REPORTED', [REPORTED], { batches: true });

    await new Publisher(bus).publish(messages(0, 1100));

    expect(await texts()).toEqual(numbers(1100));
    const [first] = await stored();
    expect([first!.header.get('ce-id'), first!.header.get('Nats-Msg-Id')]).toEqual(['0', 'id-0']);
  });

  it('publishes a few messages one by one, and more as a batch', async () => {
    await ensureStream(bus, 'REPORTED', [REPORTED], { batches: true });
    const publisher = new Publisher(bus);
    const many = MAX_SINGLE_MESSAGES + 1;

    await publisher.publish(messages(0, MAX_SINGLE_MESSAGES));
    await publisher.publish(messages(MAX_SINGLE_MESSAGES, MAX_SINGLE_MESSAGES + many));

    const batched = (await stored()).map(({ header }) => header.get('Nats-Batch-Id') !== '');
    expect(batched).toEqual([...Array<boolean>(MAX_SINGLE_MESSAGES).fill(false), ...Array<boolean>(many).fill(true)]);
  });

  it('falls back to single messages when a batch contains a duplicate, and stores no duplicate', async () => {
    await ensureStream(bus, 'REPORTED', [REPORTED], { batches: true });
    const publisher = new Publisher(bus);
    await publisher.publish(messages(0, 20));

    await publisher.publish(messages(5, 30));

    expect(await texts()).toEqual(numbers(30));
    expect(publisher.hasBatches).toBe(true);
  });

  it('falls back to single messages when the stream allows no batches, and tries no batch again', async () => {
    await ensureStream(bus, 'REPORTED', [REPORTED]);
    const publisher = new Publisher(bus);

    await publisher.publish(messages(0, 20));

    expect(await texts()).toEqual(numbers(20));
    expect(publisher.hasBatches).toBe(false);
  });

  it('says how to fix a missing stream or a full stream', async () => {
    const GONE = /^no stream takes test\.reported\.\S+: run prepare of the app that owns it where it is gone, /;
    const FULL = /^the stream of test\.reported\.\S+ is full: raise its max_bytes, /;
    const publishes = () => new Publisher(bus).publish(messages(0, 20));
    const publishOnce = () => bus.publishOnce(REPORTED, { nth: 'y' }, {});
    const publish = () => bus.publish(REPORTED, { nth: 'z' }, {}, 'id-z');

    for (const fails of [publishes, publishOnce, publish]) await expect(fails()).rejects.toThrow(GONE);
    await ensureStream(bus, 'REPORTED', [REPORTED], { maxBytes: 10, batches: true });
    for (const fails of [publishes, publishOnce, publish]) await expect(fails()).rejects.toThrow(FULL);
  });

  it('says how to fix a message longer than the bus carries, and stores none of the following messages', async () => {
    await ensureStream(bus, 'REPORTED', [REPORTED], { batches: true });
    const LONG = /^a message of test\.reported\.\S+ is longer than the bus carries: raise max_payload/;
    const long = 'a'.repeat(1024 * 1024);
    const [first, ...rest] = messages(0, 20) as [Outgoing, ...Outgoing[]];

    const publishes = () => new Publisher(bus).publish([{ ...first, body: Buffer.from(long) }, ...rest]);
    const publishOnce = () => bus.publishOnce(REPORTED, { nth: 'y' }, long);
    const publish = () => bus.publish(REPORTED, { nth: 'z' }, long, 'id-z');

    for (const fails of [publishes, publishOnce, publish]) await expect(fails()).rejects.toThrow(LONG);
    expect(await texts()).toEqual([]);
  });
});
