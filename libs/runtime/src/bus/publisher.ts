import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { JetStreamApiError } from '@nats-io/jetstream';
import { count, RUNTIME_METRICS } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { notStored } from './bus-failures.ts';

/** A message as it goes onto a stream. */
export interface Outgoing {
  subject: string;
  body: Uint8Array;
  /** A repeat with the same id is dropped by the stream, within its window. */
  id: string;
  headers: Readonly<Record<string, string>>;
}

/** The most messages of one atomic batch. The server allows a thousand; half of them leaves memory to others. */
export const BATCH_MESSAGES = 500;
/** Up to this many messages go one by one: a batch takes the server 8 ms, however short it is, and a message half a millisecond. */
export const MAX_SINGLE_MESSAGES = 16;
const BATCHES_SINCE = [2, 12];
/** The server's code for a stream that takes no batches. */
const BATCHES_OFF = 10174;

/**
 * Publishes in order and waits until the stream holds everything. When the server has atomic batches, a batch costs one write to the disk
 * instead of one for each message. Messages go one by one when they are few, when the server is older, or when a batch is refused (one
 * duplicate in it is enough).
 */
export class Publisher {
  private readonly bus: Bus;
  private readonly timeout: number;
  private refused = false;

  constructor(bus: Bus, { timeoutMs = 5000 } = {}) {
    this.bus = bus;
    this.timeout = timeoutMs;
  }

  /** Whether the server that is connected now takes batches. */
  get hasBatches(): boolean {
    return !this.refused && isSince(this.bus.connection.info?.version ?? '', BATCHES_SINCE);
  }

  async publish(messages: readonly Outgoing[]): Promise<void> {
    for (let from = 0; from < messages.length; from += BATCH_MESSAGES) {
      const batch = messages.slice(from, from + BATCH_MESSAGES);
      const areMany = batch.length > MAX_SINGLE_MESSAGES;
      if (areMany && this.hasBatches && (await this.together(batch))) continue;
      if (areMany) count(RUNTIME_METRICS.batchesSplit);
      await this.oneByOne(batch);
    }
  }

  private async together(messages: readonly Outgoing[]): Promise<boolean> {
    const [first, ...rest] = messages as [Outgoing, ...Outgoing[]];
    const last = rest.pop()!;
    try {
      const batch = await this.bus.streams.startBatch(first.subject, first.body, { headers: marked(first), timeout: this.timeout });
      for (const message of rest) batch.add(message.subject, message.body, { headers: marked(message) });
      await batch.commit(last.subject, last.body, { headers: marked(last), timeout: this.timeout });
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === BATCHES_OFF) this.refused = true;
      return false;
    }
  }

  /** Publishes the messages one by one. Of a batch that was lost the stream may have stored some after all: it drops those by their ids. */
  private async oneByOne(messages: readonly Outgoing[]): Promise<void> {
    for (const message of messages) {
      const options = { headers: marked(message), timeout: this.timeout };
      await this.bus.streams.publish(message.subject, message.body, options).catch((error: unknown) => {
        throw notStored(message.subject, error);
      });
    }
  }
}

/** The headers of a message, its id among them: inside a batch the client has no other place for the id. */
function marked({ id, headers: given }: Outgoing): MsgHdrs {
  const marks = headers();
  for (const [name, value] of Object.entries(given)) marks.append(name, value);
  marks.append('Nats-Msg-Id', id);
  return marks;
}

function isSince(version: string, [major = 0, minor = 0]: readonly number[]): boolean {
  const [givenMajor = 0, givenMinor = 0] = version.split('.').map(Number);
  return givenMajor > major || (givenMajor === major && givenMinor >= minor);
}
