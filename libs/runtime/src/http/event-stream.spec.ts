import { EventSink, type ServerSentEvent } from './event-stream.ts';
import { readEvents } from './read-events.ts';

const UNREAD_MS = 20;
const sinkOf = () => new EventSink<ServerSentEvent>((event) => event, UNREAD_MS);
const event = (id: string, data: unknown = {}): ServerSentEvent => ({ id, event: 'news', data });
const LONG = 'x'.repeat(20_000);

async function readAll(chunks: readonly (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk));
  for await (const one of readEvents(stream(bytes))) events.push(one);
  return events;
}

async function* stream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('a server-sent event stream', () => {
  it('reads back the events as they were written, without comments', async () => {
    const sink = sinkOf();
    await sink.suggestRetry(1500);
    sink.beat();
    await sink.send(event('a-1', { text: 'two\nlines, é' }));
    await sink.send(event('a-2'));
    sink.end();

    const seen: ServerSentEvent[] = [];
    for await (const one of readEvents(sink.bytes)) seen.push(one);
    expect(seen).toEqual([event('a-1', { text: 'two\nlines, é' }), event('a-2')]);
    expect(sink.isOver).toBe(true);
  });

  it('reads events correctly wherever the bytes are split', async () => {
    const bytes = Buffer.from(`id: a-1\nevent: news\ndata: {"text":"é"}\n\nid: a-2\r\nevent: news\r\ndata: {}\r\n\r\n:\n\n`);
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));

    expect(await readAll(pieces)).toEqual([event('a-1', { text: 'é' }), event('a-2')]);
  });

  it('rejects an event that exceeds the maximum length', async () => {
    await expect(readAll(['data: ', 'x'.repeat(1024 * 1024 + 1)])).rejects.toThrow('longer than this client reads');
  });

  it('blocks the writer while the client has much unread data, and resumes when the client reads', async () => {
    const sink = new EventSink<ServerSentEvent>((one) => one, 60_000);
    const sent = sink.send(event('a-1', LONG));
    let isSent = false;
    void sent.then(() => (isSent = true));
    await new Promise(setImmediate);
    expect(isSent).toBe(false);

    sink.bytes.resume();

    expect(await sent).toBe(true);
    sink.cut();
  });

  it('destroys the stream when the client does not read in time', async () => {
    const sink = sinkOf();

    expect(await sink.send(event('a-1', LONG))).toBe(false);
    expect(sink.bytes.destroyed).toBe(true);
    expect(await sink.send(event('a-2'))).toBe(false);
  });

  it('destroys the stream when the client read nothing between two heartbeats, even after its end', async () => {
    const [idle, ended, alive] = [sinkOf(), sinkOf(), sinkOf()];
    await idle.send(event('a-1'));
    await ended.send(event('a-1'));
    ended.end();
    alive.bytes.resume();
    let closed = 0;
    idle.onClose(() => closed++);
    for (const sink of [idle, ended, alive]) sink.beat();
    expect([idle, ended, alive].map(({ bytes }) => bytes.destroyed)).toEqual([false, false, false]);

    for (const sink of [idle, ended, alive]) sink.beat();

    expect([idle, ended, alive].map(({ bytes }) => bytes.destroyed)).toEqual([true, true, false]);
    await new Promise(setImmediate);
    expect(closed).toBe(1);
    alive.cut();
  });

  it('refuses to write an event that its contract does not allow', () => {
    const sink = new EventSink<ServerSentEvent>(() => {
      throw new Error('not of this shape');
    });

    expect(() => sink.send(event('a-1'))).toThrow('not of this shape');
  });
});
