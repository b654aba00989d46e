import { headers } from '@nats-io/transport-node';
import type { JsMsg } from '@nats-io/jetstream';
import { at, PARKED, Refusal } from '@codase/contracts';
import { describeError } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { isTooLong } from './bus-failures.ts';

/** Headers that tell an operator where a parked message came from and why it stopped. */
export const PARKED_HEADERS = {
  reason: 'Codase-Reason',
  subject: 'Codase-Subject',
  stream: 'Codase-Stream',
  sequence: 'Codase-Sequence',
  deliveries: 'Codase-Deliveries',
  bytesLeftOut: 'Codase-Bytes-Left-Out',
} as const;

/**
 * Stores the message as it came, with its trace and the reason, on the stream of parked messages. A message that is too long for the bus
 * together with these headers is stored without its body, which its own stream still has: otherwise the consumer could never give it up,
 * and all events behind it would wait for ever.
 */
export async function park(
  bus: Bus,
  { consumer, message, failure }: { consumer: string; message: JsMsg; failure: unknown },
): Promise<void> {
  const marks = headers();
  for (const [name, values] of message.headers ?? []) if (!name.startsWith('Nats-')) for (const value of values) marks.append(name, value);
  marks.set(PARKED_HEADERS.reason, reasonOf(failure));
  marks.set(PARKED_HEADERS.subject, message.subject);
  marks.set(PARKED_HEADERS.stream, message.info.stream);
  marks.set(PARKED_HEADERS.sequence, String(message.seq));
  marks.set(PARKED_HEADERS.deliveries, String(message.info.deliveryCount));
  const options = { headers: marks, msgID: `${message.info.stream}:${message.seq}:${consumer}` };
  const publish = (body: Uint8Array) => bus.streams.publish(at(PARKED, { consumer }), body, options);
  await publish(message.data).catch((error: unknown) => {
    if (!isTooLong(error)) throw error;
    marks.set(PARKED_HEADERS.bytesLeftOut, String(message.data.length));
    return publish(new Uint8Array());
  });
}

/** A reason names the kind of failure, never what was in the message. */
const reasonOf = (failure: unknown): string => (failure instanceof Refusal ? failure.key : describeError(failure)['error.type']);
