import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { monotonic } from '@codase/runtime/resilience';
import { LOG, observe, type Log } from '@codase/runtime/telemetry';
import { CHANNELS, SETTINGS, type Channels, type Settings } from '../config.ts';
import { METRICS } from '../metrics.ts';
import { Spool } from './spool.store.ts';

/** How long a measured size is reused. Events that come meanwhile are accepted, even above the limit. */
const FRESH_MS = 1000;

interface Measured {
  at: number;
  isFull: boolean;
  /** Whether events of the service may wait. While false, its size need not be measured. */
  mayWait: boolean;
}

const NEVER = { at: -Infinity, isFull: false };

/** Limits how much of a service waits while the stream accepts nothing. The rest waits at the platform, which keeps it for days. */
@Injectable()
export class SpoolLimit implements BeforeApplicationShutdown {
  /** What was measured, for each service of which events were stored. */
  private readonly measured = new Map<string, Measured>();
  private readonly ends = [
    observe(METRICS.spoolBytes, () => this.sizes()),
    observe(METRICS.spoolLimit, () => [[this.settings.spoolBytes, {}]]),
  ];

  constructor(
    private readonly spool: Spool,
    @Inject(CHANNELS) private readonly channels: Channels,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    spool.onStored((service) => {
      this.measured.set(service, { ...(this.measured.get(service) ?? NEVER), mayWait: true });
    });
  }

  beforeApplicationShutdown(): void {
    for (const end of this.ends) end();
  }

  /** Refuses when the limit of the service is reached. It is called before events of the service are taken from the platform. */
  async check(service: string): Promise<void> {
    const before = this.measured.get(service);
    if (!before?.mayWait) return;
    const isFull = monotonic() - before.at < FRESH_MS ? before.isFull : await this.measure(service, before);
    if (isFull) throw new Refusal('feed_consumer.spool_full');
  }

  private async measure(service: string, before: Measured): Promise<boolean> {
    const at = monotonic();
    const bytes = (await this.spool.sizes([service])).get(service) ?? 0;
    const isFull = bytes >= this.settings.spoolBytes;
    this.measured.set(service, { at, isFull, mayWait: bytes > 0 });
    if (isFull && !before.isFull)
      this.log.warn('too much of a service waits to be published: nothing more is taken', { 'codase.service': service });
    if (!isFull && before.isFull) this.log.info('events of a service are taken again', { 'codase.service': service });
    return isFull;
  }

  /** Returns the sizes, or none while the database does not answer: a gauge shows no value that is not known. */
  private async sizes() {
    const names = Object.keys(this.channels);
    const sizes = await this.spool.sizes(names).catch(() => undefined);
    if (!sizes) return [];
    return names.map((service) => [sizes.get(service) ?? 0, { 'codase.service': service }] as const);
  }
}
