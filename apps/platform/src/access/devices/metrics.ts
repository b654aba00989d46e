import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  devicesAdded: counter('codase.devices.added', '{device}', 'Devices whose keys were registered by a sign-in'),
  devicesRemoved: counter('codase.devices.removed', '{device}', 'Devices that persons removed, with their sessions and keys'),
};
