import type { ConsumerMessages } from '@nats-io/jetstream';
import type { Subscription } from '@nats-io/transport-node';
import { isDoneWithin } from '../resilience/with-timeout.ts';

/** How long the server may take to say that it has sent all there was. */
const DRAIN_MS = 5000;

/**
 * Ends a pull once what the server has sent to it is here, so that it can be handed back. The library's `close` does not take what is still
 * on its way: no replica would get that before the ack wait is over. The subscription is no public member; without it, the pull is closed.
 */
export async function endPull(messages: ConsumerMessages): Promise<void> {
  const { sub } = messages as { sub?: Subscription };
  if (sub && !sub.isClosed()) await isDoneWithin(DRAIN_MS, sub.drain().catch(unheard));
  await messages.close();
}

/** The connection is lost, and the pull with it. */
const unheard = () => undefined;
