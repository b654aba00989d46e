import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  sent: counter('codase.messages.sent', '{message}', 'Messages that services sent to their customers'),
  received: counter('codase.messages.received', '{message}', 'Messages that customers sent to services'),
  expired: counter('codase.messages.expired', '{message}', 'Messages that were deleted because they are kept no longer'),
};
