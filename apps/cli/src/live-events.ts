import { AckPolicy, DeliverPolicy, jetstreamManager, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { FEED, filter, groupConsumer, PARTITIONS } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { Fault, messageOf } from '@codase/command-line';

/** The group of handlers whose rights a listener uses. */
const GROUP = 'cli';
const PULL_MS = 5000;
const AT_ONCE = 50;
/** The time after which the server forgets a listener that has left. */
const FORGOTTEN_MS = 30_000;

interface Listening {
  /** The user of the bus that listens. */
  user: string;
  service: string;
  signal: AbortSignal;
  /** Called once all consumers are open: from then on no event is missed. */
  ready(): void;
}

type Hear = (message: JsMsg) => Promise<void>;

/**
 * Receives the events of a service from now on, until the signal. It has only the rights of an internal service: it opens a consumer of its
 * own on each partition, which acknowledges nothing and leaves nothing behind.
 */
export async function hearLive(bus: Bus, { user, service, signal, ready }: Listening, hear: Hear): Promise<void> {
  const sources = await Promise.all(PARTITIONS.map((partition) => open(bus, user, { service, partition })));
  const close = () => Promise.all(sources.map(({ messages }) => messages.close()));
  signal.addEventListener('abort', close);
  if (signal.aborted) await close();
  else ready();
  try {
    await Promise.all(sources.map((source) => each(source, hear)));
  } finally {
    await close();
  }
}

/** The events of one partition. */
interface Source {
  messages: ConsumerMessages;
  /** How many of these events came before this command began to listen. */
  old: number;
}

async function each({ messages, old }: Source, hear: Hear): Promise<void> {
  let come = 0;
  for await (const message of messages) {
    come += 1;
    if (come > old) await hear(message);
  }
}

async function open(bus: Bus, user: string, heard: { service: string; partition: string }): Promise<Source> {
  const name = groupConsumer(user, GROUP, heard.partition);
  const wanted = { name, filter_subject: filter(FEED, heard), ack_policy: AckPolicy.None, deliver_policy: DeliverPolicy.New };
  const manager = await jetstreamManager(bus.connection, { checkAPI: false }); // the check needs another right on the bus
  const found = await manager.consumers
    .add(FEED.stream!, { ...wanted, inactive_threshold: nanos(FORGOTTEN_MS) })
    .catch((cause: unknown) => {
      const mend = `its rights on the bus must name that service and the group ${GROUP}.`;
      throw new Fault(`${user} cannot listen to ${heard.service} (${messageOf(cause)}): ${mend}`, { cause });
    });
  const isTaken = found.num_waiting > 0;
  if (isTaken) throw new Fault(`Somebody listens as ${user} already, and two would share the events: end the other one first.`);
  const consumer = await bus.streams.consumers.get(FEED.stream!, name);
  // The consumer of a listener that has just left may still exist, with events that came since: they count as old.
  return { messages: await consumer.consume({ expires: PULL_MS, max_messages: AT_ONCE }), old: found.num_pending };
}
