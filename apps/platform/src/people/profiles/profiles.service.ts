import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { FRONT_DOOR, REGION, Refusal, type NewProfile } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { HERE, type Here } from '../../regions/index.ts';
import { ProfilesStore, type ProfileRow } from './profiles.store.ts';

/** Takes the profiles the front door hands to this region, and finds them. */
@Injectable()
export class Profiles implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private handedOver: { drain(): Promise<void> } | undefined;

  constructor(
    private readonly store: ProfilesStore,
    private readonly bus: Bus,
    @Inject(HERE) private readonly here: Here,
  ) {}

  /** Of all regions only this one's: replicas share a queue, regions do not. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.here.base !== 'region') return;
    const { region } = this.here;
    const add = (profile: NewProfile) => this.add(region, profile);
    this.handedOver = await this.bus.answer(REGION.addProfile, { region }, add, { queue: `region-${region}` });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.handedOver?.drain();
  }

  /** Absent for the moment between a sign-up and its hand-over. */
  async of(user_id: string): Promise<ProfileRow> {
    const profile = await this.store.find(user_id);
    if (!profile) throw new Refusal('service.unavailable');
    return profile;
  }

  /** A front door that had to wait too long has taken the sign-up back: what arrives after that is nobody's profile. */
  private async add(region: string, profile: NewProfile): Promise<null> {
    const home = await this.bus.request(FRONT_DOOR.homeOf, {}, { user_id: profile.user_id });
    if (home.region !== region) throw new Refusal('service.unavailable').because('The account of this profile does not live here');
    await this.store.add(profile);
    return null;
  }
}
