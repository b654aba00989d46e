/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  enrolmentsHandedOver: {
    name: 'codase.enrolments.handed_over',
    kind: 'counter',
    unit: '{enrolment}',
    what: 'Enrolments of earlier versions that a region took over from the front door',
  },
  enrolmentsOver: {
    name: 'codase.enrolments.over',
    kind: 'counter',
    unit: '{enrolment}',
    what: 'Enrolments of earlier versions whose connection is gone or was never known, and that ended with it',
  },
} as const;
