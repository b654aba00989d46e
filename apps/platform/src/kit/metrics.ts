import { counter } from '@codase/runtime/metrics';

/** Metrics of code that belongs to no capability. */
export const METRICS = {
  republished: counter(
    'codase.told_again',
    '{attempt}',
    'Attempts to publish the committed rows again, after a change that was published was not committed',
  ),
};
