interface Waiting<In, Out> {
  item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<In> {
  /** Items of one batch. */
  most: number;
  /** How long the first item waits for others, for each batch. When absent or below 1, until the event loop turns. */
  waitMs?(): number;
  /** Batches under way at once; one when absent. Items that come meanwhile share the next. */
  concurrency?: number;
  /** Bounds a batch by the weight of its items too. An item that is heavier than a batch may be is a batch of its own. */
  weight?: { of(item: In): number; most(): number };
}

/** Works in batches on items that several callers add at about the same time. Each batch belongs to the trace of its first item. */
export class Batcher<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private underWay = 0;
  private isCollecting = false;
  private onSlot: (() => void) | undefined;
  private readonly concurrency: number;

  /** `work` returns one result for each item, in the same order. */
  constructor(
    private readonly work: (items: In[]) => Promise<readonly Out[]>,
    private readonly options: BatcherOptions<In>,
  ) {
    this.concurrency = options.concurrency ?? 1;
  }

  add(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isCollecting) void this.collect();
    });
  }

  /** Collects a batch from its first item on: others join it until there is a slot and the wait is over. */
  private async collect(): Promise<void> {
    this.isCollecting = true;
    if (this.underWay >= this.concurrency) await new Promise<void>((resolve) => (this.onSlot = resolve));
    await pause(this.options.waitMs?.() ?? 0);
    this.isCollecting = false;
    const batch = this.waiting.splice(0, this.lengthOfBatch());
    this.underWay += 1;
    if (this.waiting.length > 0) void this.collect();
    await this.run(batch);
    this.underWay -= 1;
    this.onSlot?.();
    this.onSlot = undefined;
  }

  private lengthOfBatch(): number {
    const { most, weight } = this.options;
    if (!weight) return most;
    const heaviest = weight.most();
    let [length, total] = [0, 0];
    for (const { item } of this.waiting) {
      total += weight.of(item);
      if (length === most || (length > 0 && total > heaviest)) break;
      length += 1;
    }
    return length;
  }

  private async run(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const answers = await this.work(batch.map(({ item }) => item));
      for (let i = 0; i < batch.length; i++) batch[i]!.resolve(answers[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    if (ms >= 1) setTimeout(resolve, ms);
    else setImmediate(resolve);
  });
