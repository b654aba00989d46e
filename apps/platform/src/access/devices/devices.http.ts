import { Controller } from '@nestjs/common';
import { devices, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Devices } from './devices.service.ts';

type Person = Caller<typeof devices.listDevices>;

/** The devices of the calling person, whose keys act for the person. @gap D1-5 */
@Controller()
export class DevicesHttp {
  constructor(private readonly devices: Devices) {}

  @Serves(devices.listDevices)
  async list(_: Input<typeof devices.listDevices>, { person_user_id }: Person) {
    return { items: await this.devices.listOf(person_user_id), next_cursor: null };
  }

  @Serves(devices.renameDevice)
  rename({ params, body }: Input<typeof devices.renameDevice>, { person_user_id: user_id, jkt }: Person) {
    return this.devices.rename({ user_id, device_id: params.deviceId, jkt }, body.name);
  }

  @Serves(devices.removeDevice)
  async remove({ params }: Input<typeof devices.removeDevice>, { person_user_id: user_id, jkt }: Person) {
    await this.devices.remove({ user_id, device_id: params.deviceId, jkt });
    return null;
  }
}
