/**
 * wanting: rows may wait in the database. fetching: they are being read. ready: the next row can go out. posting: it is on its way.
 * settling: it was delivered, and its row is being deleted. A webhook without a lane rests until something wakes it.
 */
type LaneState = 'wanting' | 'fetching' | 'ready' | 'posting' | 'settling';

interface Lane<Row> {
  state: LaneState;
  /** Whose rows they are. */
  owner: string;
  /** Read ahead, the oldest first. */
  rows: Row[];
  /** There is more than `rows`, or there may be. */
  hasMore: boolean;
  /** What is being read was out of date before it came. */
  isStale: boolean;
  /** Those who wait for a turn with something that is no row. */
  guests: (() => void)[];
}

/**
 * Whose turn it is. One row of a webhook goes out at a time, in order, and the next only when the last one is deleted: whatever dies, at most
 * one event of a webhook comes twice. No clock, no database: it only keeps count. @spec D1-6.3
 */
export class WebhookSchedule<Row> {
  private readonly schedule = new Map<string, Lane<Row>>();
  /** Queues; a set keeps the order in which ids came, and a map that of owners. */
  private readonly wanting = new Set<string>();
  private readonly ready = new Map<string, Set<string>>();
  private readonly ownerOf: (row: Row) => string;

  constructor(ownerOf: (row: Row) => string) {
    this.ownerOf = ownerOf;
  }

  get ids(): string[] {
    return [...this.schedule.keys()];
  }

  /** Something may wait for this webhook. */
  wake(id: string): void {
    const lane = this.schedule.get(id);
    if (lane) lane.hasMore = true;
    else this.goOn(id, this.open(id, true));
  }

  /** Something was found waiting for this webhook. Whatever is in hand already is likely to be just that, and would be read twice. */
  find(id: string): void {
    if (!this.schedule.has(id)) this.wake(id);
  }

  /** The webhook, or what waits for it, is not what it was: what was read ahead is read again. */
  renew(id: string): void {
    const lane = this.schedule.get(id);
    if (!lane) return this.wake(id);
    Object.assign(lane, { rows: [], hasMore: true, isStale: lane.state === 'fetching' });
    if (lane.state === 'ready') this.goOn(id, lane);
  }

  /** The webhook is another's now: what is on its way ends, and nothing follows it. */
  drop(id: string): void {
    const lane = this.schedule.get(id);
    if (!lane) return;
    Object.assign(lane, { rows: [], hasMore: false, isStale: lane.state === 'fetching' });
    if (lane.state === 'ready' || lane.state === 'wanting') this.goOn(id, lane);
  }

  /** Webhooks whose rows are to be read now. */
  takeWanting(most: number): string[] {
    const ids: string[] = [];
    for (const id of this.wanting) {
      if (ids.length === most) break;
      ids.push(id);
      this.wanting.delete(id);
      Object.assign(this.schedule.get(id)!, { state: 'fetching', hasMore: false });
    }
    return ids;
  }

  /** What was read; `isAll` when there was no more. */
  give(id: string, rows: readonly Row[], isAll: boolean): void {
    const lane = this.schedule.get(id);
    if (lane?.state !== 'fetching') return;
    if (!lane.isStale) {
      lane.rows = [...rows];
      lane.hasMore ||= !isAll;
    }
    lane.isStale = false;
    this.goOn(id, lane);
  }

  /** The next row to go out. Owners take turns, those without room are passed over, and of an owner the webhook that has waited longest goes. */
  takeReady(hasRoom: (owner: string) => boolean): { id: string; row: Row } | undefined {
    for (const [owner, [id]] of this.ready) {
      if (!hasRoom(owner)) continue;
      const lane = this.schedule.get(id!)!;
      this.leaveQueue(id!, lane);
      this.goToTheBack(owner);
      lane.state = 'posting';
      return { id: id!, row: lane.rows.shift()! };
    }
    return undefined;
  }

  /** It is done with; its row is to be deleted. */
  delivered(id: string): void {
    const lane = this.schedule.get(id);
    if (lane?.state === 'posting') lane.state = 'settling';
  }

  /** Its row is deleted, or a guest's turn is over: on to the next. */
  settled(id: string): void {
    const lane = this.schedule.get(id);
    if (lane) this.goOn(id, lane);
  }

  /** Nothing more goes out until something wakes it: it failed, or it is another's now. */
  rest(id: string): void {
    const lane = this.schedule.get(id);
    if (!lane) return;
    Object.assign(lane, { rows: [], hasMore: false });
    this.goOn(id, lane);
  }

  /** Waits until nothing of this webhook is on its way, and takes the turn before the next row. `settled` ends it. */
  turn(id: string): Promise<void> {
    return new Promise((begin) => {
      const lane = this.schedule.get(id) ?? this.open(id, false);
      lane.guests.push(begin);
      if (lane.state === 'ready' || lane.state === 'wanting') this.goOn(id, lane);
    });
  }

  private open(id: string, hasMore: boolean): Lane<Row> {
    const lane: Lane<Row> = { state: 'wanting', owner: '', rows: [], hasMore, isStale: false, guests: [] };
    this.schedule.set(id, lane);
    return lane;
  }

  private goOn(id: string, lane: Lane<Row>): void {
    this.leaveQueue(id, lane);
    const guest = lane.guests.shift();
    if (guest) {
      lane.state = 'posting';
      guest();
    } else if (lane.rows.length > 0) this.queue(id, lane);
    else if (lane.hasMore) {
      lane.state = 'wanting';
      this.wanting.add(id);
    } else this.schedule.delete(id);
  }

  private queue(id: string, lane: Lane<Row>): void {
    lane.state = 'ready';
    lane.owner = this.ownerOf(lane.rows[0]!);
    const ids = this.ready.get(lane.owner);
    if (ids) ids.add(id);
    else this.ready.set(lane.owner, new Set([id]));
  }

  private leaveQueue(id: string, { state, owner }: Lane<Row>): void {
    if (state === 'wanting') this.wanting.delete(id);
    if (state !== 'ready') return;
    const ids = this.ready.get(owner)!;
    ids.delete(id);
    if (ids.size === 0) this.ready.delete(owner);
  }

  private goToTheBack(owner: string): void {
    const ids = this.ready.get(owner);
    if (!ids || this.ready.size === 1) return;
    this.ready.delete(owner);
    this.ready.set(owner, ids);
  }
}
