import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  enrolmentsHandedOver: counter(
    'codase.enrolments.handed_over',
    '{enrolment}',
    'Enrolments of earlier versions that a region took over from the front door',
  ),
  enrolmentsOver: counter(
    'codase.enrolments.over',
    '{enrolment}',
    'Enrolments of earlier versions whose connection is gone or was never known, and that ended with it',
  ),
};
