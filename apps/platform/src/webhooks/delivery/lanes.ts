/**
 * wanting: rows may wait in the database. fetching: they are being read. ready: the next row can go out. posting: it is on its way.
 * settling: it was delivered, and its row is being deleted. A webhook without a lane rests until something wakes it.
 */
type LaneState = 'wanting' | 'fetching' | 'ready' | 'posting' | 'settling';

interface Lane<Row> {
  state: LaneState;
  /** Read ahead, the oldest first. */
  rows: Row[];
  /** There is more than `rows`, or there may be. */
  hasMore: boolean;
  /** What is being read was out of date before it came. */
  isStale: boolean;
}

/**
 * Whose turn it is. One row of a webhook goes out at a time, in order, and the next only when the last one is deleted: whatever dies, at most
 * one event of a webhook comes twice. No clock, no database: it only keeps count. @spec D1-6.3
 */
export class Lanes<Row> {
  private readonly lanes = new Map<string, Lane<Row>>();
  /** Queues; a set keeps the order in which ids came. */
  private readonly wanting = new Set<string>();
  private readonly ready = new Set<string>();

  get ids(): string[] {
    return [...this.lanes.keys()];
  }

  /** Something may wait for this webhook. */
  wake(id: string): void {
    const lane = this.lanes.get(id);
    if (lane) lane.hasMore = true;
    else this.want(id, { state: 'wanting', rows: [], hasMore: true, isStale: false });
  }

  /** Something was found waiting for this webhook. Whatever is in hand already is likely to be just that, and would be read twice. */
  find(id: string): void {
    if (!this.lanes.has(id)) this.wake(id);
  }

  /** The webhook is not what it was: what was read ahead is read again. */
  renew(id: string): void {
    const lane = this.lanes.get(id);
    if (!lane) return this.wake(id);
    Object.assign(lane, { rows: [], hasMore: true, isStale: lane.state === 'fetching' });
    if (lane.state !== 'ready') return;
    this.ready.delete(id);
    this.want(id, lane);
  }

  /** Webhooks whose rows are to be read now. */
  takeWanting(most: number): string[] {
    const ids: string[] = [];
    for (const id of this.wanting) {
      if (ids.length === most) break;
      ids.push(id);
      this.wanting.delete(id);
      Object.assign(this.lanes.get(id)!, { state: 'fetching', hasMore: false });
    }
    return ids;
  }

  /** What was read; `isAll` when there was no more. */
  give(id: string, rows: readonly Row[], isAll: boolean): void {
    const lane = this.lanes.get(id);
    if (lane?.state !== 'fetching') return;
    lane.rows = lane.isStale ? [] : [...rows];
    lane.hasMore ||= !isAll;
    lane.isStale = false;
    this.goOn(id, lane);
  }

  /** The next row to go out, from the webhook that has waited longest. */
  takeReady(): { id: string; row: Row } | undefined {
    const [id] = this.ready;
    if (id === undefined) return undefined;
    this.ready.delete(id);
    const lane = this.lanes.get(id)!;
    lane.state = 'posting';
    return { id, row: lane.rows.shift()! };
  }

  /** It was taken; its row is to be deleted. */
  delivered(id: string): void {
    const lane = this.lanes.get(id);
    if (lane?.state === 'posting') lane.state = 'settling';
  }

  /** Its row is deleted: on to the next. */
  settled(id: string): void {
    const lane = this.lanes.get(id);
    if (lane) this.goOn(id, lane);
  }

  /** Nothing more goes out until something wakes it: it failed, or it is another's now. */
  rest(id: string): void {
    this.lanes.delete(id);
    this.wanting.delete(id);
    this.ready.delete(id);
  }

  private goOn(id: string, lane: Lane<Row>): void {
    if (lane.rows.length > 0) {
      lane.state = 'ready';
      this.ready.add(id);
    } else if (lane.hasMore) this.want(id, lane);
    else this.rest(id);
  }

  private want(id: string, lane: Lane<Row>): void {
    lane.state = 'wanting';
    this.lanes.set(id, lane);
    this.wanting.add(id);
  }
}
