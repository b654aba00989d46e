import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { TIMEOUT_HEADER, type Subject } from '@codase/contracts';
import { INITIATOR_HEADER, initiatorHeader } from '../initiator/initiator.ts';
import { carryTrace, type Carrier } from '../telemetry/index.ts';

/** Returns the attributes of a span of a message. */
export const messaging = (type: 'send' | 'process', subject: Subject) => ({
  'messaging.system': 'nats' as const,
  'messaging.operation.type': type,
  'messaging.destination.template': subject.pattern,
});

/** Reads headers only when one is asked for: without tracing, none is. */
export const carrierOf = (message: Pick<Msg, 'headers'>): Carrier => ({
  get: (name) => message.headers?.get(name),
  set: (name, value) => message.headers?.set(name, value),
});

export function tracedHeaders(): MsgHdrs {
  const fresh = headers();
  carryTrace(carrierOf({ headers: fresh }));
  return fresh;
}

/** The headers of a request: trace, wait, and on whose behalf. The wait is a duration, because clocks of machines differ. */
export function requestHeaders(timeout: number): MsgHdrs {
  const marked = tracedHeaders();
  marked.set(TIMEOUT_HEADER, String(timeout));
  const initiator = initiatorHeader();
  if (initiator !== undefined) marked.set(INITIATOR_HEADER, initiator);
  return marked;
}

/** Returns how long the sender of a request waits for the answer. */
export function timeoutOf({ headers: marks }: Msg): number | undefined {
  const ms = Number(marks?.get(TIMEOUT_HEADER));
  return ms > 0 ? ms : undefined;
}
