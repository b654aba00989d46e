import { Refusal } from '@codase/contracts';

/** The size of a request: its values, and the characters that they keep in memory. */
interface Load {
  values: number;
  chars: number;
}

/** The part of the capacity for callers with requests under way. The rest is for others, so that a flood blocks no other caller. */
const SHARE = 3 / 4;

/** The requests under way, with a bound: memory stays flat, and no caller waits for an answer that would come too late. */
export class Workload {
  private readonly most: Load;
  private readonly changed: (values: number) => void;
  private readonly current: Load = { values: 0, chars: 0 };
  /** How many requests of each caller are under way. */
  private readonly callers = new Map<string, number>();

  constructor(most: Load, changed: (values: number) => void = () => undefined) {
    this.most = most;
    this.changed = changed;
  }

  /** Does the work of a caller, or refuses it when the capacity is used up. */
  async within<T>(caller: string, load: Load, work: () => Promise<T>): Promise<T> {
    const share = this.callers.has(caller) ? SHARE : 1;
    if (this.current.values + load.values > share * this.most.values || this.current.chars + load.chars > share * this.most.chars)
      throw full();
    this.add(caller, load, 1);
    try {
      return await work();
    } finally {
      this.add(caller, load, -1);
    }
  }

  private add(caller: string, { values, chars }: Load, sign: 1 | -1): void {
    const requests = (this.callers.get(caller) ?? 0) + sign;
    if (requests > 0) this.callers.set(caller, requests);
    else this.callers.delete(caller);
    this.current.values += sign * values;
    this.current.chars += sign * chars;
    this.changed(sign * values);
  }
}

const full = () => new Refusal('service.unavailable').because('The decryptor is at capacity: repeat the request in a moment').after(1);
