import type { ConsumerMessages } from '@nats-io/jetstream';
import type { Subscription } from '@nats-io/transport-node';
import { isDoneWithin } from '../resilience/with-timeout.ts';

/** How long the server may take to confirm that it has sent everything. */
const DRAIN_MS = 5000;

/**
 * Ends a pull after the messages that the server has sent to it are here, so that they can be handed back. The library's `close` does not
 * take messages that are still on their way: no replica would get those before the ack wait is over. The subscription is no public member;
 * without it, the pull is only closed.
 */
export async function endPull(messages: ConsumerMessages): Promise<void> {
  const { sub } = messages as { sub?: Subscription };
  if (sub && !sub.isClosed()) await isDoneWithin(DRAIN_MS, sub.drain().catch(unheard));
  await messages.close();
}

/** Ignores that the connection is lost: the pull is lost with it. */
const unheard = () => undefined;
