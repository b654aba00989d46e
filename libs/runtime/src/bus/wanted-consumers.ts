import type { Msg, Subscription } from '@nats-io/transport-node';
import { jsonIn, WANTED_CONSUMERS } from '@codase/contracts';
import { z } from 'zod';
import type { Log } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { isInbox } from './inbox.ts';

/**
 * The settings that a pull consumer may have. A subject to deliver to is not among them: the server would send to any subject of the
 * account that has the stream, without checking rights, and so could take events of others away.
 */
const PULLED = z.enum([
  'name',
  'durable_name',
  'description',
  'metadata',
  'deliver_policy',
  'opt_start_seq',
  'opt_start_time',
  'filter_subject',
  'filter_subjects',
  'ack_policy',
  'ack_wait',
  'max_deliver',
  'backoff',
  'max_ack_pending',
  'replay_policy',
  'headers_only',
  'max_waiting',
  'max_batch',
  'max_bytes',
  'max_expires',
  'inactive_threshold',
  'num_replicas',
  'mem_storage',
]);
const Wish = z.strictObject({
  stream_name: z.string(),
  action: z.string().optional(),
  pedantic: z.boolean().optional(),
  config: z.partialRecord(PULLED, z.unknown()),
});

const QUEUE = 'consumers';
const TIMEOUT_MS = 4000;

/**
 * Makes the consumers of a stream that users of other accounts ask for. The server passes their requests on to this subject. A request that
 * may be granted goes to the server, which checks the filter and the name against the subject.
 */
export async function makeConsumers(bus: Bus, stream: string, log: Log): Promise<Subscription> {
  const subscription = bus.connection.subscribe(`${WANTED_CONSUMERS}.${stream}.>`, {
    queue: QUEUE,
    callback: (error, message) => {
      if (error) log.error('subscription failed', { error });
      else if (message.reply && isInbox(message.reply)) void answer(bus, stream, message, log);
    },
  });
  await bus.connection.flush();
  return subscription;
}

async function answer(bus: Bus, stream: string, message: Msg, log: Log): Promise<void> {
  const wanted = message.subject.slice(`${WANTED_CONSUMERS}.${stream}.`.length);
  const wish = Wish.safeParse(jsonIn(message.string())).data;
  const respond = bus.responder(message);
  if (!wish)
    log.warn('consumer refused: one that is pulled from can be had, and no other', {
      'messaging.consumer.group.name': wanted.split('.')[0]!,
    });
  try {
    // The request is written anew from what was read, because the server accepts names of members in capitals as the same names.
    const made =
      wish && (await bus.connection.request(`$JS.API.CONSUMER.CREATE.${stream}.${wanted}`, JSON.stringify(wish), { timeout: TIMEOUT_MS }));
    respond(made?.data ?? refusal(400, 'A consumer of an internal service is pulled from: leave out where it delivers to'));
  } catch (error) {
    log.error('consumer not made', { error });
    respond(refusal(503, 'The stream does not answer'));
  }
}

/** A refusal in the server's own form, with its code for a bad request. */
const refusal = (code: number, description: string): string =>
  JSON.stringify({ type: 'io.nats.jetstream.api.v1.consumer_create_response', error: { code, err_code: 10003, description } });
