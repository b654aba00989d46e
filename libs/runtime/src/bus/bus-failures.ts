import { JetStreamApiError } from '@nats-io/jetstream';
import { InvalidArgumentError, NoRespondersError, PermissionViolationError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { Refusal, type Subject } from '@codase/contracts';
import { OperatorFault } from '../operator-fault.ts';

/** Whether a message, with its headers, is longer than the server's max_payload. To send it would cost the connection. */
export const isTooLong = (error: unknown): boolean => error instanceof InvalidArgumentError && error.message.includes('max_payload');

/** Whether nobody listened. The library has several names for this error, and keeps the first as the cause. */
export const isUnheard = (error: unknown): boolean =>
  error instanceof NoRespondersError ||
  (error instanceof RequestError && error.isNoResponders()) ||
  (error instanceof Error && error.cause !== undefined && isUnheard(error.cause));

const reachedNobody = new WeakSet<object>();

function unheard(refusal: Refusal): Refusal {
  reachedNobody.add(refusal);
  return refusal;
}

/** Whether a request failed because nobody listened. Then it surely had no effect, while one whose answer is only late may have had one. */
export const wasUnheard = (error: unknown): boolean => typeof error === 'object' && error !== null && reachedNobody.has(error);

/** Returns the refusal that a caller gets in place of an error of the bus; returns another error as it is. */
export function noAnswer(subject: Subject, error: unknown): unknown {
  if ((error as Error).cause instanceof PermissionViolationError || error instanceof PermissionViolationError)
    return new Refusal('auth.client_endpoint_forbidden').because(`This bus user may not ask ${subject.pattern}`);
  if (isUnheard(error))
    return unheard(new Refusal('service.unavailable').because(`Nobody answers ${subject.pattern}: is that service running?`));
  if (error instanceof TimeoutError || error instanceof RequestError)
    return new Refusal('service.unavailable').because(`No answer on ${subject.pattern} in time`);
  return error;
}

/**
 * Returns an error that says what to mend when a stream is full or gone, or a message is longer than the bus carries; returns another error
 * as it is. The sentence may name the subject, which holds names of services and events, and nothing of a person.
 */
export function notStored(subject: string, error: unknown): unknown {
  if (error instanceof JetStreamApiError && /maximum (bytes|messages)/.test(error.message))
    return new OperatorFault(`the stream of ${subject} is full: raise its max_bytes, and the disk of the servers where that is full too`, {
      cause: error,
    });
  if (isTooLong(error))
    return new OperatorFault(`a message of ${subject} is longer than the bus carries: raise max_payload of nats-server`, { cause: error });
  if (isUnheard(error))
    return new OperatorFault(
      `no stream takes ${subject}: run prepare of the app that owns it where it is gone, and see that most servers of the cluster run`,
      { cause: error },
    );
  return error;
}
