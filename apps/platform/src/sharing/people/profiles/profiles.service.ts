import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type NewProfile } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { FrontDoorRequests, holdAccount, ProfilesStore, type ProfileRow } from '../../../foundation/regions/index.ts';

/** Stores the profiles that the front door hands to this region, and finds them. */
@Injectable()
export class Profiles {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly store: ProfilesStore,
    private readonly frontDoor: FrontDoorRequests,
  ) {}

  /** Returns a profile. Refuses when there is none, as in the moment between a sign-up and its hand-over. */
  async of(user_id: string): Promise<ProfileRow> {
    const profile = await this.store.find(user_id);
    if (!profile) throw new Refusal('service.unavailable');
    return profile;
  }

  /**
   * Adds a profile. It first asks the front door where the account lives: a front door that waited too long has rolled the sign-up back,
   * and a profile that arrives after that belongs to no account.
   */
  async add(region: string, profile: NewProfile): Promise<void> {
    const home = await this.frontDoor.request(FRONT_DOOR.homeOf, {}, { user_id: profile.user_id });
    if (home.region !== region) throw new Refusal('service.unavailable').because('The account of this profile does not live here');
    await this.db.transaction(async (tx) => {
      await holdAccount(tx, profile.user_id);
      await this.store.add(tx, profile);
    });
  }
}
