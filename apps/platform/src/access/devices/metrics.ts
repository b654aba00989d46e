import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  devicesAdded: counter('codase.devices.added', '{device}', 'Devices whose keys were registered by a sign-in'),
  statementsRefused: counter(
    'codase.devices.statements_refused',
    '{request}',
    'Acts of persons refused because no device of the person has signed them, by what was wrong and by the region that sent them',
    { openLabels: ['codase.fault', 'codase.caller'] },
  ),
  devicesRemoved: counter('codase.devices.removed', '{device}', 'Devices that persons removed, with their sessions and keys'),
};
