import { PermissionViolationError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { Refusal, type Subject } from '@codase/contracts';

/** Whether nobody listens on the subject of a request. */
export const isUnheard = (error: unknown): boolean => error instanceof RequestError && error.isNoResponders();

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
