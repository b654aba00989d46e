import type { Refusal } from '@cds/contracts';

/** How many may be under way at once, how many of them for the same one, and how long the next waits for a place. */
export interface Room {
  total: number;
  each: number;
  waitMs: number;
}

/** Why there was no place: the same one has as many as it may, or all are taken. */
export type Full = 'own' | 'all';

interface Waiting {
  whose: string;
  come(): void;
}

/**
 * Places for work that holds a connection while it waits for others. None may take them all; who finds none waits a moment, since most work
 * is short, and is then refused. Of the same one no more wait than may work.
 */
export class Places {
  private readonly taken = new Map<string, number>();
  private readonly waiting: Waiting[] = [];
  private total = 0;
  private readonly room: Room;
  private readonly refusal: (full: Full) => Refusal;

  constructor(room: Room, refusal: (full: Full) => Refusal) {
    this.room = room;
    this.refusal = refusal;
  }

  /** Takes a place, or refuses; what it answers gives the place back. */
  async take(whose: string): Promise<() => void> {
    if (this.fullFor(whose)) await this.turnOf(whose);
    else this.change(whose, 1);
    return () => this.leave(whose);
  }

  /** Comes when somebody has left the place to it. */
  private turnOf(whose: string): Promise<void> {
    const others = this.waiting.filter((one) => one.whose === whose);
    if (others.length >= this.room.each) throw this.refusal('own');
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(this.refusal(this.fullFor(whose) ?? 'all'));
      }, this.room.waitMs);
      const waiting = {
        whose,
        come() {
          clearTimeout(late);
          resolve();
        },
      };
      this.waiting.push(waiting);
    });
  }

  /** The place goes to the first who may have it. */
  private leave(whose: string): void {
    this.change(whose, -1);
    const next = this.waiting.findIndex((one) => !this.fullFor(one.whose));
    if (next < 0) return;
    const [first] = this.waiting.splice(next, 1);
    this.change(first!.whose, 1);
    first!.come();
  }

  private fullFor(whose: string): Full | undefined {
    if ((this.taken.get(whose) ?? 0) >= this.room.each) return 'own';
    return this.total >= this.room.total ? 'all' : undefined;
  }

  private change(whose: string, by: 1 | -1): void {
    const left = (this.taken.get(whose) ?? 0) + by;
    if (left > 0) this.taken.set(whose, left);
    else this.taken.delete(whose);
    this.total += by;
  }
}
