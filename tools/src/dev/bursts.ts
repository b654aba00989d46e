/** How long no file may change until a burst of changes is over. Editors and version control write several files in a few milliseconds. */
const QUIET_MS = 50;

export interface Burst {
  files: readonly string[];
  /** The monotonic time of its first change. */
  since: number;
  /** Aborted when the next burst is over: its work waits for the work of this one. */
  superseded: AbortSignal;
}

/** Collects changes into bursts and does one piece of work for each burst, one after the other. */
export class Bursts {
  private readonly files = new Set<string>();
  private since = 0;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private superseding = new AbortController();
  private isClosed = false;

  constructor(
    private readonly work: (burst: Burst) => Promise<void>,
    private readonly quietMs = QUIET_MS,
  ) {}

  add(file: string): void {
    if (this.isClosed) return;
    if (this.files.size === 0) this.since = performance.now();
    this.files.add(file);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), this.quietMs);
  }

  /** Takes no more changes, and waits for the work under way. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.superseding.abort();
    await this.working;
  }

  private end(): void {
    this.timer = undefined;
    this.superseding.abort();
    this.working ??= this.workAll().finally(() => (this.working = undefined));
  }

  /** Works until no burst is left. Changes of a burst that is not over yet wait for its end. */
  private async workAll(): Promise<void> {
    while (this.files.size > 0 && this.timer === undefined && !this.isClosed) {
      const files = [...this.files];
      this.files.clear();
      this.superseding = new AbortController();
      await this.work({ files, since: this.since, superseded: this.superseding.signal });
    }
  }
}
