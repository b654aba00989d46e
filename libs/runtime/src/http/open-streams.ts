import { Refusal, type Endpoint } from '@codase/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { repeat, type Repeated } from '../resilience/repeat.ts';
import { count, raise, RUNTIME_METRICS } from '../telemetry/index.ts';
import { EventSink, type EventStream, type ServerSentEvent } from './event-stream.ts';
import type { Call, Gatekeeper } from './gatekeeper.ts';
import type { Refusals } from './refusals.ts';
import { endSpan } from './request-span.ts';

const SWEEP_MS = 1000;
/** How often a stream sends a sign of life: sooner than proxies, phones and the server take a connection for dead. */
const BEAT_MS = 25_000;
/** How long clients wait before they reconnect, each another time: when a process stops, they do not come all at once. */
const RETRY_MS = { least: 1000, spread: 4000 };

/** Tell proxies not to hold events back to fill a buffer, and that a connection that carried a stream carries nothing else. */
const STREAM_HEADERS = { 'x-accel-buffering': 'no', connection: 'close' } as const;

interface OpenStream {
  contract: Endpoint;
  call: Call;
  sink: EventSink;
  beatAt: number;
}

/**
 * The streams of events that a server holds open. Each is checked every second: it ends when its caller would no longer be admitted.
 * Streams never fill all connections of the server, since no other caller could connect then.
 */
export class OpenStreams {
  private readonly open = new Set<OpenStream>();
  private sweeping: Repeated | undefined;

  constructor(
    private readonly gatekeeper: Gatekeeper,
    private readonly most: number,
    private readonly refusals: Refusals,
  ) {}

  /** Answers with a stream. The request's span and measurement end here: the time of a stream is not that of an answer. */
  async answer(contract: Endpoint, { begin }: EventStream<ServerSentEvent>, call: Call, request: FastifyRequest, reply: FastifyReply) {
    if (this.open.size >= this.most) throw overcrowded();
    const sink = new EventSink((event) => contract.result.parse(event));
    this.keep({ contract, call, sink, beatAt: performance.now() + BEAT_MS });
    reply.status(contract.status).type('text/event-stream; charset=utf-8').headers(STREAM_HEADERS);
    await sink.suggestRetry(RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread));
    begin(sink);
    endSpan(request, reply);
    request.traced = null;
    return reply.send(sink.bytes);
  }

  /** Ends all streams because the process stops: clients reconnect, to another process. */
  async close(): Promise<void> {
    for (const { sink } of this.open) sink.end();
    await this.sweeping?.stop();
  }

  private keep(stream: OpenStream): void {
    this.open.add(stream);
    raise(RUNTIME_METRICS.httpStreams, 1);
    stream.sink.onClose(() => {
      this.open.delete(stream);
      raise(RUNTIME_METRICS.httpStreams, -1);
    });
    this.sweeping ??= repeat(() => this.sweep(), {
      name: 'event_streams',
      pauseMs: SWEEP_MS,
      onFailure: (error) => void this.refusals.refusalFor(error),
    });
  }

  private async sweep(): Promise<void> {
    const now = performance.now();
    for (const stream of this.open) {
      if ((await this.gatekeeper.stillAdmits?.(stream.contract, stream.call)) === false) stream.sink.end();
      if (now < stream.beatAt) continue;
      stream.beatAt = now + BEAT_MS;
      stream.sink.beat();
    }
  }
}

function overcrowded(): Refusal {
  count(RUNTIME_METRICS.httpOverloaded);
  return new Refusal('service.overloaded').because('Too many streams are open here: repeat the call in a moment, or poll');
}
