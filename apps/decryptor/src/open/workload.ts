import { Refusal } from '@codase/contracts';

/** The size of a request: its values, and the characters that they keep in memory. */
interface Load {
  values: number;
  chars: number;
}

/**
 * A caller with requests under way may hold so many times what it leaves free: a flood of one caller leaves a quarter of the capacity.
 * Others are refused by what they hold themselves, so a caller that holds little gets its second request beside a flood (decision 174).
 */
const TIMES_FREE = 3;

const NOTHING: Load = { values: 0, chars: 0 };

/** The requests under way, with a bound: memory stays flat, and no caller waits for an answer that would come too late. */
export class Workload {
  private readonly most: Load;
  private readonly changed: (values: number) => void;
  private current = NOTHING;
  /** What each caller with requests under way holds. */
  private readonly callers = new Map<string, Load>();

  constructor(most: Load, changed: (values: number) => void = () => undefined) {
    this.most = most;
    this.changed = changed;
  }

  /** Does the work of a caller, or refuses it when the capacity is used up. */
  async within<T>(caller: string, load: Load, work: () => Promise<T>): Promise<T> {
    if (!this.hasCapacityFor(caller, load, 'values') || !this.hasCapacityFor(caller, load, 'chars')) throw full();
    this.add(caller, load);
    try {
      return await work();
    } finally {
      this.add(caller, { values: -load.values, chars: -load.chars });
    }
  }

  private hasCapacityFor(caller: string, load: Load, unit: keyof Load): boolean {
    const leftFree = this.most[unit] - this.current[unit] - load[unit];
    const pending = this.callers.get(caller)?.[unit];
    return leftFree >= 0 && (pending === undefined || pending + load[unit] <= TIMES_FREE * leftFree);
  }

  private add(caller: string, load: Load): void {
    const pending = sum(this.callers.get(caller) ?? NOTHING, load);
    if (pending.values === 0 && pending.chars === 0) this.callers.delete(caller);
    else this.callers.set(caller, pending);
    this.current = sum(this.current, load);
    this.changed(load.values);
  }
}

const sum = (one: Load, other: Load): Load => ({ values: one.values + other.values, chars: one.chars + other.chars });

const full = () => new Refusal('service.unavailable').because('The decryptor is at capacity: repeat the request in a moment').after(1);
