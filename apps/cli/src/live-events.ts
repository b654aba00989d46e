import { AckPolicy, DeliverPolicy, jetstreamManager, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { FEED, filter, groupConsumer, PARTITIONS } from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';
import { Fault, messageOf } from '@cds/command-line';

/** The group of handlers whose rights a listener uses. */
const GROUP = 'cli';
const PULL_MS = 5000;
const AT_ONCE = 50;
/** The server forgets a listener that has been away for so long. */
const FORGOTTEN_MS = 30_000;

interface Listening {
  /** Who listens, as the bus knows it. */
  user: string;
  service: string;
  signal: AbortSignal;
  /** Called once everything that happens from now on will be heard. */
  ready(): void;
}

type Hear = (message: JsMsg) => Promise<void>;

/**
 * Hears the events of a service from now on, until the signal. It has the rights of an internal service and no others: a consumer of its
 * own on each partition, which acks nothing and leaves nothing behind.
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

/** Events of one partition. */
interface Source {
  messages: ConsumerMessages;
  /** How many of them came before anybody listened. */
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
  const manager = await jetstreamManager(bus.connection, { checkAPI: false }); // that check needs a right of its own
  const found = await manager.consumers
    .add(FEED.stream!, { ...wanted, inactive_threshold: nanos(FORGOTTEN_MS) })
    .catch((cause: unknown) => {
      const mend = `its rights on the bus must name that service and the group ${GROUP}.`;
      throw new Fault(`${user} cannot listen to ${heard.service} (${messageOf(cause)}): ${mend}`, { cause });
    });
  const isTaken = found.num_waiting > 0;
  if (isTaken) throw new Fault(`Somebody listens as ${user} already, and two would share the events: end the other one first.`);
  const consumer = await bus.streams.consumers.get(FEED.stream!, name);
  // A listener that has only just left is not forgotten yet, and later events wait here.
  return { messages: await consumer.consume({ expires: PULL_MS, max_messages: AT_ONCE }), old: found.num_pending };
}
