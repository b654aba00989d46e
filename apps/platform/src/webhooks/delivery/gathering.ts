interface Asked<In, Out> {
  item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

export interface GatheringOptions {
  /** How long the first one waits for company. */
  waitMs(): number;
  /** The most that is done at once. */
  most: number;
}

/** Does in one go what many ask for at about the same time. One go at a time: whoever asks meanwhile shares the next. */
export class Gathering<In, Out> {
  private readonly waiting: Asked<In, Out>[] = [];
  private isUnderWay = false;
  private readonly work: (items: readonly In[]) => Promise<readonly Out[]>;
  private readonly options: GatheringOptions;

  /** `work` answers for each item, in their order. */
  constructor(work: (items: readonly In[]) => Promise<readonly Out[]>, options: GatheringOptions) {
    this.work = work;
    this.options = options;
  }

  ask(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.begin();
    });
  }

  private begin(): void {
    if (this.isUnderWay || this.waiting.length === 0) return;
    this.isUnderWay = true;
    const waitMs = this.options.waitMs();
    if (waitMs >= 1) setTimeout(() => void this.go(), waitMs);
    else setImmediate(() => void this.go());
  }

  private async go(): Promise<void> {
    const asked = this.waiting.splice(0, this.options.most);
    try {
      const answers = await this.work(asked.map(({ item }) => item));
      asked.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      asked.forEach(({ reject }) => reject(error));
    }
    this.isUnderWay = false;
    this.begin();
  }
}
