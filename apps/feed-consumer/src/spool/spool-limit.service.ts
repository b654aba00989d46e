import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { monotonic } from '@cds/runtime/resilience';
import { LOG, observe, type Log } from '@cds/runtime/telemetry';
import { CHANNELS, SETTINGS, type Channels, type Settings } from '../config.ts';
import { METRICS } from '../metrics.ts';
import { Spool } from './spool.store.ts';

/** So long it is not looked again: what comes meanwhile is let in, above the limit. */
const FRESH_MS = 1000;

interface Looked {
  at: number;
  isFull: boolean;
  /** Something was stored since nothing waited. Otherwise it need not be looked. */
  mayWait: boolean;
}

const NEVER = { at: -Infinity, isFull: false };

/** Bounds how much of a service waits, when the stream takes nothing: the rest waits at the platform, which keeps it for days. */
@Injectable()
export class SpoolLimit implements BeforeApplicationShutdown {
  /** Of services of which something was stored. */
  private readonly looked = new Map<string, Looked>();
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
      this.looked.set(service, { ...(this.looked.get(service) ?? NEVER), mayWait: true });
    });
  }

  beforeApplicationShutdown(): void {
    for (const end of this.ends) end();
  }

  /** Before something of a service is taken: refuses where as much as may waits already. */
  async check(service: string): Promise<void> {
    const before = this.looked.get(service);
    if (!before?.mayWait) return;
    const isFull = monotonic() - before.at < FRESH_MS ? before.isFull : await this.look(service, before);
    if (isFull) throw new Refusal('feed_consumer.spool_full');
  }

  private async look(service: string, before: Looked): Promise<boolean> {
    const at = monotonic();
    const bytes = (await this.spool.sizes([service])).get(service) ?? 0;
    const isFull = bytes >= this.settings.spoolBytes;
    this.looked.set(service, { at, isFull, mayWait: bytes > 0 });
    if (isFull && !before.isFull)
      this.log.warn('too much of a service waits to be published: nothing more is taken', { 'cds.service': service });
    if (!isFull && before.isFull) this.log.info('events of a service are taken again', { 'cds.service': service });
    return isFull;
  }

  /** None while the database does not answer: what is not known is not shown. */
  private async sizes() {
    const names = Object.keys(this.channels);
    const sizes = await this.spool.sizes(names).catch(() => undefined);
    if (!sizes) return [];
    return names.map((service) => [sizes.get(service) ?? 0, { 'cds.service': service }] as const);
  }
}
