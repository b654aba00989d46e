import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { idOr, Line } from '../core/text.ts';
import { Device } from './shapes.ts';

/** At the front door, where the keys are registered: a region can neither name nor remove a device. @gap D1-5 */
const ROUTE = { tag: 'consumer app', at: ['front-door'], spec: 'D1-3.1', callers: ['person'] } as const;
const ofDevice = z.object({ deviceId: idOr('account.device_not_found').describe('The id of a device, from the list of them') });

export const listDevices = endpoint('list_devices', 'GET /api/app/devices', {
  ...ROUTE,
  summary: 'The devices whose keys act for the person',
  description:
    'The devices that signed in with a key (DPoP) and were not removed, the newest first. `jkt` is the thumbprint of the key (RFC 7638); ' +
    'an app finds itself by it. Asked of the front door, like the two that change them.',
  result: whole(Device),
});

export const renameDevice = endpoint('rename_device', 'PUT /api/app/devices/{deviceId}', {
  ...ROUTE,
  summary: 'Give a device a name that the person recognises',
  description: 'Names a device. Only a device of the account can do this, by its own key.',
  params: ofDevice,
  body: z.strictObject({ name: Line }),
  result: Device,
  refusals: ['request.invalid', 'account.device_not_found', 'account.device_required'],
});

export const removeDevice = endpoint('remove_device', 'DELETE /api/app/devices/{deviceId}', {
  ...ROUTE,
  summary: 'Remove a device: its sessions and its key end',
  description:
    'Ends the sessions of the device at every base, and its key for good: the same key is never registered again. Only a device of the ' +
    'account can do this, by its own key; it may be the one. A person who has lost the only device signs in on another one first.',
  params: ofDevice,
  refusals: ['account.device_not_found', 'account.device_required'],
});
