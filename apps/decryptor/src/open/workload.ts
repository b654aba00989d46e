import { Refusal } from '@cds/contracts';

/** How much is asked for: values, and the characters they hold the memory with. */
export interface Load {
  values: number;
  chars: number;
}

/** What is in hand, with a bound: memory stays flat, and nobody waits for what cannot come in time. */
export class Workload {
  private readonly most: Load;
  private readonly changed: (values: number) => void;
  private readonly held: Load = { values: 0, chars: 0 };

  constructor(most: Load, changed: (values: number) => void = () => undefined) {
    this.most = most;
    this.changed = changed;
  }

  /** Does the work, or refuses it when it would be too much beside what is in hand. */
  async within<T>(load: Load, work: () => Promise<T>): Promise<T> {
    if (this.held.values + load.values > this.most.values || this.held.chars + load.chars > this.most.chars) throw full();
    this.add(load, 1);
    try {
      return await work();
    } finally {
      this.add(load, -1);
    }
  }

  private add({ values, chars }: Load, sign: 1 | -1): void {
    this.held.values += sign * values;
    this.held.chars += sign * chars;
    this.changed(sign * values);
  }
}

const full = () => new Refusal('service.unavailable').because('The decryptor has its hands full: repeat the request in a moment').after(1);
