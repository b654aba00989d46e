import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { readShape, Refusal, type Subject } from '@codase/contracts';
import type { z } from 'zod';

/**
 * A success is the bare JSON of its result. A refusal is its usual body, recognised by the headers that NATS's own
 * service convention uses, so a consumer in any language can read both.
 */
const ERROR = 'Nats-Service-Error';
const ERROR_CODE = 'Nats-Service-Error-Code';
const RETRY_AFTER = 'Retry-After';
/** Header of a request: the caller can read an answer with one member as bytes. Of such an answer: the other members. */
const ACCEPTS_BYTES = 'Codase-Accepts-Bytes';
const OTHER_MEMBERS = 'Codase-Other-Members';

export const acceptBytes = ({ bytes }: Subject, marks: MsgHdrs): MsgHdrs => {
  if (bytes !== undefined) marks.set(ACCEPTS_BYTES, 'yes');
  return marks;
};

/** Writes the answer as JSON. A long text goes as bytes when the caller says that it can read them: other releases may not. */
export function writeReply({ bytes, reply }: Subject, requestHeaders: MsgHdrs | undefined, result: unknown): [Uint8Array, MsgHdrs?] {
  const answer: unknown = reply?.parse(result) ?? null;
  if (bytes === undefined) return [Buffer.from(JSON.stringify(answer))];
  const { [bytes]: long, ...others } = answer as Record<string, unknown>;
  if (!(long instanceof Uint8Array)) return [Buffer.from(JSON.stringify(answer))];
  if (!requestHeaders?.has(ACCEPTS_BYTES)) return [Buffer.from(JSON.stringify({ ...others, [bytes]: Buffer.from(long).toString() }))];
  const marks = headers();
  marks.set(OTHER_MEMBERS, JSON.stringify(others));
  return [long, marks];
}

export function writeRefusal(refusal: Refusal): [body: string, options: { headers: MsgHdrs }] {
  const marks = headers();
  marks.set(ERROR, refusal.key);
  marks.set(ERROR_CODE, String(refusal.status));
  if (refusal.retryAfter !== undefined) marks.set(RETRY_AFTER, String(refusal.retryAfter));
  return [JSON.stringify(refusal.toBody()), { headers: marks }];
}

export function readReply<M extends z.ZodType, R extends z.ZodType>(subject: Subject<string, M, R>, reply: Msg): z.output<R> {
  const others = reply.headers?.get(OTHER_MEMBERS);
  const body: unknown = others && subject.bytes ? { ...JSON.parse(others), [subject.bytes]: reply.data } : reply.json();
  if (!reply.headers?.has(ERROR)) return subject.reply?.parse(body) as z.output<R>;
  const status = Number(reply.headers.get(ERROR_CODE));
  const refusal = Refusal.fromBody(body, status) ?? Refusal.ofNewerRelease(body, status) ?? new Refusal('service.unavailable');
  const seconds = Number(reply.headers.get(RETRY_AFTER));
  throw seconds ? refusal.after(seconds) : refusal;
}

/** A message that does not fit its subject is refused, and the refusal says where it does not fit, never what was sent. */
export function readMessage<M extends z.ZodType>(subject: Subject<string, M>, data: Uint8Array): z.output<M> {
  return readShape(subject.message, parseJson(data), 'message');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(data));
  } catch {
    throw new Refusal('request.invalid').because('message: must be JSON in UTF-8');
  }
}
