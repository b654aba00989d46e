import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { RateLimit } from '@cds/contracts';
import { count, raise } from '@cds/runtime/telemetry';
import { SETTINGS, type Settings } from '../config.ts';
import { Lane } from './lane.ts';

/** Calls of one client under way at once: enough to use every limit, few enough for one region. */
const IN_FLIGHT = 128;

/** A lane for each bucket the platform keeps for us. @spec D1-5.4 */
@Injectable()
export class LimitsService implements BeforeApplicationShutdown {
  private readonly lanes = new Map<string, Lane>();

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** Only clients of the configuration get here, so there are never more lanes than those have buckets. */
  laneOf(client: string, limit: RateLimit): Lane {
    const key = `${client} ${limit}`;
    const lane = this.lanes.get(key) ?? this.open(limit);
    this.lanes.set(key, lane);
    return lane;
  }

  /** Whoever still waits for a turn gets none here. */
  beforeApplicationShutdown(): void {
    for (const lane of this.lanes.values()) lane.close();
  }

  private open(limit: RateLimit): Lane {
    return new Lane({
      bucket: this.settings.limits[limit],
      queue: this.settings.queue,
      in_flight: IN_FLIGHT,
      onQueue: (by) => raise('gatewayQueue', by),
      onRefused: (reason) => count('gatewayRefused', { 'cds.check': reason, 'cds.limit': limit }),
    });
  }
}
