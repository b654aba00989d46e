import { messages, operation, type SentMessage } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import { REQUEST_TIMEOUT_MS, type GatewayHttp } from './gateway-http.ts';
import type { Reader, ReaderKeys } from './reader-keys.ts';

/** A message to one reader of many. */
export type Addressed = Reader & { text: string; key?: string | undefined };

export interface SendOptions {
  /**
   * Your own key of the message, new for each message: on the same connection the same key means the same message, whatever its text. A
   * handler that is retried gives the same key, so that the person gets one message.
   */
  key?: string;
  timeoutMs?: number;
}

/** Sends messages to the customers of the service. Texts are sealed in this process: no bus carries them in the clear. */
export interface Messages {
  /** Writes to one person. It does not acknowledge the person's messages. */
  send(to: Reader, text: string, options?: SendOptions): Promise<SentMessage>;
  /** Writes to many people, at most 1,000: all messages are sent or none. Returns them in the order given. */
  broadcast(some: readonly Addressed[], options?: { timeoutMs?: number }): Promise<SentMessage[]>;
  /** Marks the person's messages as read, up to this one. The person sees that they were read. A repeat changes nothing. */
  acknowledge(upTo: { connection_id: string; message_id: string }, options?: { timeoutMs?: number }): Promise<void>;
}

interface Parts {
  bus: Bus;
  service: string;
  http: GatewayHttp;
  keys: ReaderKeys;
}

/** How many readers' keys are looked up at the same time, within what the gateway may ask at once. */
const READS_AT_ONCE = 16;
/** Bytes of a bus message that are kept free for what surrounds the broadcast. */
const AROUND_BYTES = 4096;

export function messagesOf({ bus, service, http, keys }: Parts): Messages {
  const sealed = async ({ text, key, ...reader }: Addressed) => ({
    connection_id: reader.connection_id,
    body: await sealValue(await importValuePublicKey(await keys.of(reader)), text),
    ...(key !== undefined && { idempotency_key: key }),
  });

  return {
    async send(to, text, { key, timeoutMs = REQUEST_TIMEOUT_MS } = {}) {
      const { connection_id: connectionId, ...body } = await sealed({ ...to, text, key });
      return bus.request(operation(messages.sendMessage), { service }, { params: { connectionId }, body }, { timeout: timeoutMs });
    },
    async broadcast(some, { timeoutMs = REQUEST_TIMEOUT_MS } = {}) {
      const outgoing: Awaited<ReturnType<typeof sealed>>[] = [];
      for (let first = 0; first < some.length; first += READS_AT_ONCE)
        outgoing.push(...(await Promise.all(some.slice(first, first + READS_AT_ONCE).map(sealed))));
      const request = { body: { messages: outgoing } };
      const most = bus.messageBytes - AROUND_BYTES;
      const isLong = Buffer.byteLength(JSON.stringify(request)) > most;
      const sent = isLong
        ? await http.upload(messages.broadcastMessage, request, { timeoutMs })
        : await bus.request(operation(messages.broadcastMessage), { service }, request, { timeout: timeoutMs });
      return sent.messages;
    },
    async acknowledge({ connection_id: connectionId, message_id }, { timeoutMs = REQUEST_TIMEOUT_MS } = {}) {
      const request = { params: { connectionId }, body: { message_id } };
      await bus.request(operation(messages.acknowledgeMessages), { service }, request, { timeout: timeoutMs });
    },
  };
}
