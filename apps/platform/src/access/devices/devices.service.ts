import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type devices, type Output } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { changeAndPublish } from '../../kit/outbox/change-and-publish.service.ts';
import { LocalSessions } from '../tokens/index.ts';
import type { DeviceEntity } from './device.entity.ts';
import { DevicesStore } from './devices.store.ts';
import { METRICS } from './metrics.ts';
import { PublishedDevices } from './published-devices.service.ts';

type Device = Output<typeof devices.listDevices>['items'][number];

/** A device of the caller, and the key that the call was proven with. */
interface OwnDevice {
  user_id: string;
  device_id: string;
  jkt: string | undefined;
}

/**
 * The devices of persons, as they list and change them. Only a device changes devices: a region in the wrong hands signs tokens for its
 * users, and has none of their keys. @gap D1-5
 */
@Injectable()
export class Devices {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly store: DevicesStore,
    private readonly published: PublishedDevices,
    private readonly sessions: LocalSessions,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async listOf(user_id: string): Promise<Device[]> {
    return (await this.store.listOf(user_id)).map(present);
  }

  async rename({ user_id, device_id, jkt }: OwnDevice, name: string): Promise<Device> {
    await this.checkDevice(user_id, jkt);
    const renamed = await this.store.rename(user_id, device_id, name);
    if (!renamed) throw new Refusal('account.device_not_found');
    return present(renamed);
  }

  /** Removes a device: its sessions end with its key. */
  async remove({ user_id, device_id, jkt }: OwnDevice): Promise<void> {
    await this.checkDevice(user_id, jkt);
    let ended: readonly string[] = [];
    await changeAndPublish(this.db, this.log, {
      change: async (tx) => {
        ended = await this.removeIn(tx, user_id, device_id);
      },
      publish: async (tx) => {
        await this.store.lock(user_id, tx);
        await this.published.publish(tx, user_id);
        await this.sessions.publishEnds(ended);
      },
    });
    count(METRICS.devicesRemoved);
    this.sessions.countEnded(ended.length);
  }

  /** Removes a device. Returns the sessions that ended with it, which are locked before the device, as by a refresh. */
  private async removeIn(tx: EntityManager, user_id: string, device_id: string): Promise<string[]> {
    const jkt = await this.store.keyOf(user_id, device_id, tx);
    const ended: string[] = [];
    for (const session_id of jkt === undefined ? [] : await this.store.sessionsOf(tx, user_id, jkt))
      if (await this.sessions.endOwnIn(tx, user_id, session_id)) ended.push(session_id);
    if ((await this.store.remove(tx, user_id, device_id, this.clock.now())) === undefined) throw new Refusal('account.device_not_found');
    await this.audit.record(tx, { act: 'device.removed', account_id: user_id, object: device_id, details: { jkt: jkt! } });
    return ended;
  }

  /** Refuses a call that was not proven with the key of a device of the account. */
  private async checkDevice(user_id: string, jkt: string | undefined): Promise<void> {
    if (jkt === undefined || !(await this.store.isKnown(user_id, jkt))) throw new Refusal('account.device_required');
  }
}

const present = ({ device_id, name, jkt, created_at, last_used_at }: DeviceEntity): Device => ({
  id: device_id,
  name,
  jkt,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at.toISOString(),
});
