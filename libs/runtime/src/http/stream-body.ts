import type { IncomingMessage } from 'node:http';
import { BODY_BYTES, type Endpoint } from '@codase/contracts';
import type { FastifyRequest } from 'fastify';
import type { BodySink, StreamedString } from './body-sink.ts';
import { formatOf, JSON_FORMAT } from './formats.ts';
import { tooLarge } from './refusals.ts';
import { StringShortener } from './string-shortener.ts';

/** The most bytes that are kept of a body whose long string goes to a sink. */
export const STREAMED_BYTES = BODY_BYTES;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the long string of the route's body is handed on while it comes, and where to. */
    streams?: Endpoint['streams'];
  }
  interface FastifyRequest {
    /** The long string of the body; undefined when there was none. */
    streamed: StreamedString | undefined;
    /** The sink of the long string, if the body has one. */
    sink: BodySink | null;
    /** Opens the sink of the route for this caller. */
    openSink: ((before: string) => BodySink) | null;
  }
}

/** Whether the long string of a body is handed on while it comes. A body in XML is collected whole. */
export const isStreamed = ({ routeOptions, headers }: FastifyRequest): boolean =>
  routeOptions.config.streams !== undefined && (headers['content-type'] === undefined || formatOf(headers['content-type']) === JSON_FORMAT);

/** Reads a body and hands its long string to the sink of the route, as fast as the sink takes it. Returns the rest. */
export async function streamBody(request: FastifyRequest, body: IncomingMessage): Promise<Buffer> {
  const { bodyLimit } = request.routeOptions;
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw tooLarge(request.routeOptions);
  const shortener = new StringShortener(STREAMED_BYTES);
  let sink: BodySink | undefined;
  try {
    let length = 0;
    // The connection is kept, so that a refusal can be sent.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > bodyLimit) throw tooLarge(request.routeOptions);
      for (const bytes of shortener.add(chunk)) await (sink ??= request.openSink!(shortener.textSoFar)).write(bytes);
    }
    const rest = shortener.whole();
    request.streamed = sink && { taken: await sink.end(), shortened: shortener.shortened ?? '' };
    request.sink = sink ?? null;
    return rest;
  } catch (error) {
    await sink?.abandon();
    throw BROKEN_OFF.has((error as { code?: string }).code) ? brokenOff() : error;
  }
}

/** The codes of a stream whose other side is gone. */
const BROKEN_OFF: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

const brokenOff = () => Object.assign(new Error('The body broke off'), { statusCode: 400 });
