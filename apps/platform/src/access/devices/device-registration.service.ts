import { Inject, Injectable } from '@nestjs/common';
import { MAX_DEVICES, Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { newId } from '../../kit/ids.ts';
import type { BoundBy, BoundSession, SessionBound } from '../tokens/index.ts';
import { DevicesStore } from './devices.store.ts';
import { METRICS } from './metrics.ts';
import { PublishedDevices } from './published-devices.service.ts';

/** The client of phones. Only persons have devices: what a company does is done by its clients too. */
const PHONE_CLIENT = 'app_person';
/** How a device is called until its person names it. */
const UNNAMED = 'Device';

const SIGN_IN_AGAIN = 'A device of this account has a key already: sign in again to add another one';

/** Registers the key of a device when a sign-in of a person is bound to it. @gap D1-5 */
@Injectable()
export class DeviceRegistration implements SessionBound {
  constructor(
    private readonly store: DevicesStore,
    private readonly published: PublishedDevices,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Registers a new key, and publishes it before the sign-in is committed. A key that was removed is refused for good. A refresh registers
   * only the first device of a person: a region in the wrong hands sees refresh tokens, and would add a device of its own.
   */
  async sessionBound(tx: EntityManager, { user_id, client_id, jkt, key: public_jwk }: BoundSession, by: BoundBy): Promise<void> {
    if (client_id !== PHONE_CLIENT) return;
    await this.store.lock(user_id, tx);
    if (await this.store.findKey(user_id, jkt, tx)) return this.use(tx, user_id, jkt);
    if (by === 'refresh' && (await this.store.listOf(user_id, tx)).length > 0)
      throw new Refusal('oauth.invalid_grant').because(SIGN_IN_AGAIN);
    const device_id = newId('dev');
    await this.store.add(tx, { device_id, user_id, jkt, public_jwk, name: UNNAMED, created_at: this.clock.now() });
    await this.audit.record(tx, { act: 'device.added', account_id: user_id, object: device_id, initiator: user_id, details: { jkt } });
    await this.removeExcess(tx, user_id);
    await this.published.publish(tx, user_id);
    count(METRICS.devicesAdded);
  }

  async sessionUsed(tx: EntityManager, { user_id, client_id, jkt }: BoundSession): Promise<void> {
    if (client_id === PHONE_CLIENT) await this.use(tx, user_id, jkt);
  }

  private async use(tx: EntityManager, user_id: string, jkt: string): Promise<void> {
    if (await this.store.use(tx, user_id, jkt, this.clock.now())) return;
    throw new Refusal('oauth.invalid_dpop_proof').because('This key was removed from the account: make a new one, and sign in with it');
  }

  /** Removes what was used least recently, beyond the number that a person may have. Its session ends with the next refresh. */
  private async removeExcess(tx: EntityManager, user_id: string): Promise<void> {
    for (const device_id of await this.store.beyond(tx, user_id, MAX_DEVICES)) {
      const jkt = await this.store.remove(tx, user_id, device_id, this.clock.now());
      await this.audit.record(tx, { act: 'device.removed', account_id: user_id, object: device_id, details: { jkt: jkt! } });
    }
  }
}
