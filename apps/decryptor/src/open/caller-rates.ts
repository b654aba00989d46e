import { Refusal } from '@codase/contracts';

const MINUTE_MS = 60_000;

interface RateSettings {
  /** Values in a minute beyond which one caller's opening counts as bulk. */
  bulk: number;
  /** Values in a minute beyond which a caller is refused; absent for callers without such a limit. */
  limitOf(caller: string): number | undefined;
}

interface Minute {
  startedAt: number;
  values: number;
  isBulk: boolean;
}

/**
 * Counts the values that each caller has had opened in this minute by this replica. A caller's credentials open everything it may read, so
 * stolen credentials show by how much is asked for. Only callers that passed the check of their rights are counted, so the map is as small
 * as that list.
 */
export class CallerRates {
  private readonly minutes = new Map<string, Minute>();

  constructor(
    private readonly settings: RateSettings,
    private readonly onBulk: (caller: string, values: number) => void,
  ) {}

  /** Refuses values beyond the caller's limit, and reports once in a minute that a caller opens in bulk. */
  charge(caller: string, values: number, now: Date): void {
    const minute = this.minuteOf(caller, now.getTime());
    const limit = this.settings.limitOf(caller);
    const isOver = limit !== undefined && minute.values + values > limit;
    if (!isOver) minute.values += values;
    if (isOver || minute.values > this.settings.bulk) this.noteBulk(caller, minute);
    if (isOver) throw tooMany(limit, minute.startedAt + MINUTE_MS - now.getTime());
  }

  private minuteOf(caller: string, now: number): Minute {
    const current = this.minutes.get(caller);
    if (current && now >= current.startedAt && now < current.startedAt + MINUTE_MS) return current;
    const fresh = { startedAt: now, values: 0, isBulk: false };
    this.minutes.set(caller, fresh);
    return fresh;
  }

  private noteBulk(caller: string, minute: Minute): void {
    if (minute.isBulk) return;
    minute.isBulk = true;
    this.onBulk(caller, minute.values);
  }
}

const tooMany = (limit: number, leftMs: number) =>
  new Refusal('rate_limit.exceeded')
    .because(
      `Each replica opens ${limit} values a minute for this caller: wait, ask for fewer at once, or have per_minute raised in CALLERS`,
    )
    .after(Math.ceil(leftMs / 1000));
