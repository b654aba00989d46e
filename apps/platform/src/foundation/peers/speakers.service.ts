import { Inject, Injectable } from '@nestjs/common';
import { Refusal, regionUser, type PeerSubject } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { Home } from '../regions/index.ts';
import { METRICS } from './metrics.ts';

/** How long the home of a user is remembered. For so long, the old region of a company that moved may still speak for it. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface KnownHome {
  region: string | undefined;
  readAt: number;
}

/**
 * Checks that a region speaks only for its own users. The front door knows where a user lives, and the bus says which region sends a
 * request, so a region in the wrong hands cannot act for users of other regions. @gap D1-1
 */
@Injectable()
export class Speakers {
  private readonly homes = new Map<string, KnownHome>();

  constructor(
    @Inject(Home) private readonly home: Pick<Home, 'regionOf'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Refuses a request for a user who does not live in the region of the bus user that sends it. */
  async check(subject: PeerSubject, user_id: string, busUser: string | undefined): Promise<void> {
    if (isUserOf(this.remembered(user_id), busUser) || isUserOf(await this.read(user_id), busUser)) return;
    const caller = { 'codase.caller': busUser ?? 'unknown' };
    count(METRICS.speakersRefused, caller);
    this.log.error('a request for a user was refused, because the user does not live in the region that sent it', {
      ...caller,
      'messaging.destination.template': subject.pattern,
    });
    throw new Refusal('service.unavailable');
  }

  private remembered(user_id: string): string | undefined {
    const known = this.homes.get(user_id);
    return known && this.clock.now().getTime() - known.readAt < REMEMBERED_MS ? known.region : undefined;
  }

  private async read(user_id: string): Promise<string | undefined> {
    const region = await this.home.regionOf(user_id);
    this.homes.delete(user_id);
    if (this.homes.size >= MAX_REMEMBERED) this.homes.delete(this.homes.keys().next().value!);
    this.homes.set(user_id, { region, readAt: this.clock.now().getTime() });
    return region;
  }
}

const isUserOf = (region: string | undefined, busUser: string | undefined): boolean =>
  region !== undefined && busUser === regionUser(region);
