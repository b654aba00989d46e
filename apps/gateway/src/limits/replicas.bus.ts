import { randomUUID } from 'node:crypto';
import { Controller, Inject, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { GATEWAY_REPLICAS } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { Answers } from '@codase/runtime/nest-bus';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { LOG, read, type Log } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { LimitsService } from './limits.service.ts';
import { ReplicaCount } from './replica-count.ts';

const EVERY_MS = 2000;
const ANSWER_MS = 500;
const MAX_REPLICAS = 64;

/**
 * Counts the gateways that answer on the bus, and takes this gateway's part of every limit: the platform counts a client in one bucket,
 * however many gateways call for it. While the bus is gone the last number stays.
 */
@Controller()
export class ReplicasBus implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly replica = randomUUID();
  private readonly count = new ReplicaCount();
  private running: Repeated | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly limits: LimitsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.running = repeat(() => this.round(), {
      name: 'count_replicas',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.warn('other gateways cannot be counted now: the last number stays', { error }),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running?.stop();
  }

  /** Answers that this replica is there. There is no queue, so that all replicas answer. */
  @Answers(GATEWAY_REPLICAS)
  answer(): { replica: string } {
    return { replica: this.replica };
  }

  private async round(): Promise<void> {
    const answers = await this.bus.requestMany(GATEWAY_REPLICAS, {}, {}, { most: MAX_REPLICAS, timeout: ANSWER_MS });
    this.count.saw(new Set(answers.map(({ replica }) => replica)).size);
    this.limits.divideAmong(this.count.now);
    read(METRICS.replicas, this.count.now);
  }
}
