import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { FEED } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, observe, type Log } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { groupLevels, type GroupLevel } from './stream-levels.ts';

/** How long levels are reused, so that all gauges of one collection, and several collectors at once, ask the bus only once. */
const FRESH_MS = 5000;

interface Levels {
  bytes: number;
  limit: number;
  groups: (Pick<GroupLevel, 'group' | 'pending'> & { seconds: number })[];
}

/** Measures how full the stream of events is, and how far each group of handlers is behind, also groups that do not run. */
@Injectable()
export class StreamWatch implements BeforeApplicationShutdown {
  private isBlind = false;
  private checked: { at: number; levels: Promise<Levels | undefined> } | undefined;
  private readonly ends = [
    observe(METRICS.streamBytes, async () => (await this.levels()).map(({ bytes }) => [bytes])),
    observe(METRICS.streamLimit, async () => (await this.levels()).map(({ limit }) => [limit])),
    observe(METRICS.groupPending, () => this.ofGroups(({ pending }) => pending)),
    observe(METRICS.groupAge, () => this.ofGroups(({ seconds }) => seconds)),
  ];

  constructor(
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  beforeApplicationShutdown(): void {
    for (const end of this.ends) end();
  }

  private async ofGroups(value: (group: Levels['groups'][number]) => number) {
    const groups = (await this.levels()).flatMap((levels) => levels.groups);
    return groups.map((group) => [value(group), { 'messaging.consumer.group.name': group.group }] as const);
  }

  /** The JetStream manager without its first request, which asks about the whole account: a service is not allowed to ask that. */
  private get manager() {
    return this.bus.manager({ checkAPI: false });
  }

  /** Returns the levels, or none while the bus does not answer: a gauge shows no value that is not known. */
  private async levels(): Promise<Levels[]> {
    const now = performance.now();
    if (!this.checked || now - this.checked.at > FRESH_MS) {
      this.checked = { at: now, levels: this.readOrLog() };
    }
    const found = await this.checked.levels;
    return found ? [found] : [];
  }

  /** Reads the levels. Logs a failure once, until reading works again. */
  private async readOrLog(): Promise<Levels | undefined> {
    try {
      const levels = await this.readLevels();
      this.isBlind = false;
      return levels;
    } catch (error) {
      if (!this.isBlind) this.log.warn('the stream of events cannot be looked at: its metrics are missing', { error });
      this.isBlind = true;
      return undefined;
    }
  }

  private async readLevels(): Promise<Levels> {
    const { streams, consumers } = await this.manager;
    const { state, config } = await streams.info(FEED.stream!);
    const groups = [];
    for (const { group, pending, oldest } of groupLevels(await allOf(consumers.list(FEED.stream!))))
      groups.push({ group, pending, seconds: oldest ? await this.ageOf(oldest) : 0 });
    return { bytes: state.bytes, limit: config.max_bytes, groups };
  }

  private async ageOf(oldest: NonNullable<GroupLevel['oldest']>): Promise<number> {
    const { streams } = await this.manager;
    const message = await streams.getMessage(FEED.stream!, oldest);
    return message ? Math.max(0, (this.clock.now().getTime() - message.time.getTime()) / 1000) : 0;
  }
}

async function allOf<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}
