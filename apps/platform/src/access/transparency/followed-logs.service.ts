import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, LOG_SUBJECTS, REGION, type LogGrowth, type LogKept } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { Peers } from '../../foundation/peers/index.ts';
import { BASES, FrontDoorRequests, type Bases } from '../../foundation/regions/index.ts';
import { FRONT_DOOR_BASE } from '../tokens/index.ts';

/** The transparency logs of the other bases. Each base is alone in an account of the bus, so no other one can answer for it. */
export interface FollowedLogs {
  readonly bases: readonly string[];
  /** Asks a base for its signed head, and for the leaves behind those that are held. */
  ask(base: string, kept: LogKept): Promise<LogGrowth>;
}
export const FOLLOWED_LOGS = Symbol('FollowedLogs');

/** The logs that the front door follows: those of all regions. */
@Injectable()
export class LogsOfRegions implements FollowedLogs {
  readonly bases: readonly string[];

  constructor(
    private readonly bus: Bus,
    @Inject(BASES) { regions }: Bases,
  ) {
    this.bases = regions.map(({ region }) => region);
  }

  ask(region: string, kept: LogKept) {
    return this.bus.request(REGION.followRegionLog, { region }, kept);
  }
}

/** The logs that a region follows: those of the front door and of the other regions. */
@Injectable()
export class LogsOfOthers implements FollowedLogs {
  readonly bases: readonly string[];

  constructor(
    private readonly peers: Peers,
    private readonly frontDoor: FrontDoorRequests,
    @Inject(BASES) { regions }: Bases,
  ) {
    const others = regions.map(({ region }) => region).filter((region) => region !== peers.region);
    this.bases = [FRONT_DOOR_BASE, ...others];
  }

  ask(base: string, kept: LogKept) {
    return base === FRONT_DOOR_BASE
      ? this.frontDoor.request(FRONT_DOOR.followLog, {}, kept)
      : this.peers.call(LOG_SUBJECTS.follow, base, kept);
  }
}
