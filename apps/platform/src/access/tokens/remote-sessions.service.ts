import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { BASES, FrontDoorRequests, HERE, Modes, type Bases, type Here } from '../../foundation/regions/index.ts';
import type { Rotation, Sessions, SignedIn } from './sessions.ts';

/** The sessions as a region reaches them: the front door keeps them. */
@Injectable()
export class RemoteSessions implements Sessions {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
    private readonly modes: Modes,
  ) {}

  /** Refuses: a code is redeemed at the front door, which issued it. @gap D1-5.6 */
  checkRedeems(): never {
    this.checkInOrder();
    throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
  }

  async redeem(): Promise<never> {
    return this.checkRedeems();
  }

  /** Asks the front door only once: the client repeats a request whose answer was lost. */
  async rotate(rotation: Rotation): Promise<SignedIn> {
    this.checkInOrder();
    return this.frontDoor.request(FRONT_DOOR.rotateRefresh, {}, rotation);
  }

  private checkInOrder(): void {
    if (this.here.base === 'region') this.modes.checkInOrder(this.here.region);
  }
}
