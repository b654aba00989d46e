import { readSamples, type Sample, type Scrape, type ServiceScrape } from './scrapes.ts';

/** A service and the port of its probes and metrics. */
export interface Watched {
  name: string;
  opsPort: number;
}

const EVERY_MS = 5000;
const ANSWER_MS = 2000;
const ANSWER_BYTES = 4 * 1024 * 1024;
/** The scrapes of a quarter of an hour. */
const MAX_CHECKS = 180;

export class ServiceScrapes {
  private readonly scrapes: ServiceScrape[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly watched: readonly Watched[],
    private readonly isWanted: (sample: Sample) => boolean,
    private readonly everyMs = EVERY_MS,
  ) {}

  /** Resolves when the first scrape is done. */
  async start(): Promise<void> {
    await this.scrapeAll();
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.start(), this.everyMs).unref();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  get newest(): ServiceScrape | undefined {
    return this.scrapes.at(-1);
  }

  /** Returns the oldest scrape that is at most `ms` milliseconds older than the newest. */
  since(ms: number): ServiceScrape | undefined {
    const from = (this.newest?.at_ms ?? 0) - ms;
    return this.scrapes.find(({ at_ms }) => at_ms >= from);
  }

  private async scrapeAll(): Promise<void> {
    const scrapes = await Promise.all(this.watched.map((service) => this.scrape(service)));
    this.scrapes.push({ at_ms: performance.now(), scrapes });
    if (this.scrapes.length > MAX_CHECKS) this.scrapes.shift();
  }

  private async scrape({ name, opsPort }: Watched): Promise<Scrape> {
    const [ready, metrics] = await Promise.all([read(opsPort, '/readyz'), read(opsPort, '/metrics')]);
    return {
      service: name,
      ready: ready?.status === 200,
      reasons: ready ? failedChecks(ready.body) : [],
      samples: metrics?.status === 200 ? readSamples(metrics.body).filter(this.isWanted) : [],
    };
  }
}

/** Returns the answer of a service; undefined when no answer comes in time, or when it is too long. */
async function read(port: number, path: string): Promise<{ status: number; body: string } | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const body = await response.text();
    return body.length > ANSWER_BYTES ? undefined : { status: response.status, body };
  } catch {
    return undefined;
  }
}

function failedChecks(body: string): string[] {
  try {
    const { checks = {} } = JSON.parse(body) as { checks?: Record<string, string> };
    return Object.entries(checks).flatMap(([name, says]) => (says.startsWith('ok') ? [] : [`${name}: ${says}`]));
  } catch {
    return [];
  }
}
