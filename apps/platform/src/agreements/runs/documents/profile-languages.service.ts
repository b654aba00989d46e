import { Inject, Injectable } from '@nestjs/common';
import { PROFILE_LANGUAGE } from '@codase/contracts';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { movedMeanwhile, Peers } from '../../../foundation/peers/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { findProfile, Home, homeStateOf } from '../../../foundation/regions/index.ts';

/** Finds the languages of profiles, in whichever region they live. @spec D2-4.3 */
@Injectable()
export class ProfileLanguages {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly peers: Peers,
    private readonly home: Home,
  ) {}

  /** Returns the language of a user; null when the user has no profile any more. */
  async of(user_id: string): Promise<string | null> {
    const here = await this.here(user_id);
    if (here !== null) return here;
    const region = await this.home.regionOf(user_id);
    if (region === undefined) return null;
    const request = this.peers.call(PROFILE_LANGUAGE, region, { user_id });
    const { language } = await request.catch((error: unknown) => {
      throw movedMeanwhile(error, 'service.unavailable');
    });
    return language;
  }

  async language({ user_id }: MessageOf<typeof PROFILE_LANGUAGE>): Promise<{ language: string | null }> {
    return { language: await this.here(user_id) };
  }

  /** Returns the language of a user who lives here. */
  private async here(user_id: string): Promise<string | null> {
    const state = await homeStateOf(this.db, user_id);
    if (state === undefined || state === 'arriving') return null;
    return (await findProfile(this.db, user_id))?.language ?? null;
  }
}
