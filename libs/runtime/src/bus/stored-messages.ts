import { headers as noHeaders, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { OperatorFault } from '../operator-fault.ts';
import type { Bus } from './bus.ts';
import { STREAM_UNKNOWN } from './streams.ts';

/** A message as a stream holds it. */
export interface StoredMessage {
  subject: string;
  seq: number;
  /** When it was stored, in milliseconds. */
  at: number;
  headers: MsgHdrs;
  text: string;
}

const BATCH = 500;
const TIMEOUT_MS = 5000;
const END_OF_BATCH = 204;
const NOT_FOUND = 404;

/** Reads a stored message, whose subject, number and time the server writes in headers. */
export const storedIn = ({ headers = noHeaders(), data }: Pick<Msg, 'headers' | 'data'>): StoredMessage => ({
  subject: headers.get('Nats-Subject'),
  seq: Number(headers.get('Nats-Sequence')),
  at: Date.parse(headers.get('Nats-Time-Stamp')),
  headers,
  text: Buffer.from(data).toString('utf8'),
});

const nameOf = (stream: string): string => (stream.startsWith('KV_') ? `the bucket ${stream.slice(3)}` : `the stream ${stream}`);

/** When the stream was made, and the number of its last message. */
export async function streamState(bus: Bus, stream: string): Promise<{ created: string; last_seq: number }> {
  const reply = await bus.connection.request(`$JS.API.STREAM.INFO.${stream}`, '', { timeout: TIMEOUT_MS });
  const { error, created, state } = reply.json<{
    error?: { err_code: number; description: string };
    created: string;
    state: { last_seq: number };
  }>();
  if (error?.err_code === STREAM_UNKNOWN) throw new OperatorFault(`${nameOf(stream)} is gone: run prepare of the app that owns it`);
  if (error) throw new OperatorFault(`${nameOf(stream)} cannot be read: the server says "${error.description}"`);
  return { created, last_seq: state.last_seq };
}

/**
 * Reads one batch of what a stream stores, in order, from a sequence number on. Returns whether there may be more. It needs no consumer. A
 * server that knows no batches sends one message, and does not say how many follow.
 */
export function readStored(bus: Bus, stream: string, from: number, take: (message: StoredMessage) => void): Promise<boolean> {
  const { connection } = bus;
  return new Promise((resolve, reject) => {
    const inbox = bus.newInbox();
    const end = (settle: () => void) => {
      clearTimeout(timer);
      subscription.unsubscribe();
      settle();
    };
    const late = () => end(() => reject(new Error(`the stream ${stream} did not answer in time`)));
    let timer = setTimeout(late, TIMEOUT_MS);
    const subscription = connection.subscribe(inbox, {
      callback: (error, { headers, data }) => {
        if (error || !headers) return end(() => reject(error ?? new Error(`the stream ${stream} answered without headers`)));
        const pending = headers.get('Nats-Num-Pending');
        if (headers.code === END_OF_BATCH) return end(() => resolve(Number(pending) > 0));
        if (headers.code === NOT_FOUND) return end(() => resolve(false));
        if (headers.code)
          return end(() => reject(new Error(`the stream ${stream} cannot be read: ${headers.code} ${headers.description}`)));
        take(storedIn({ headers, data }));
        if (!pending) return end(() => resolve(true));
        clearTimeout(timer);
        timer = setTimeout(late, TIMEOUT_MS);
      },
    });
    connection.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify({ seq: from, batch: BATCH, next_by_subj: '>' }), { reply: inbox });
  });
}
