import { JetStreamApiError } from '@nats-io/jetstream';
import { NoRespondersError, RequestError } from '@nats-io/transport-node';
import { OperatorFault } from '../operator-fault.ts';
import { isTooLong } from './too-long.ts';

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

/** Whether no stream took the message. The library has several names for this error, and keeps the first as the cause. */
const isUnheard = (error: unknown): boolean =>
  error instanceof NoRespondersError ||
  (error instanceof RequestError && error.isNoResponders()) ||
  (error instanceof Error && error.cause !== undefined && isUnheard(error.cause));
