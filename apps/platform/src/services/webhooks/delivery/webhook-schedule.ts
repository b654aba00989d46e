/**
 * wanting: rows may wait in the database. fetching: rows are being read. ready: the next row can be sent. posting: a row is being sent.
 * settling: the row was delivered and is being deleted. A webhook that is not in the schedule rests until something wakes it.
 */
type WebhookState = 'wanting' | 'fetching' | 'ready' | 'posting' | 'settling';

interface ScheduledWebhook<Row> {
  state: WebhookState;
  /** The owner of the rows. */
  owner: string;
  /** The rows that were read ahead, the oldest first. */
  rows: Row[];
  /** Whether there are or may be more rows than `rows`. */
  hasMore: boolean;
  /** Whether the rows that are being read were out of date before they arrived. */
  isStale: boolean;
  /** Callers that wait for a turn without a row, such as test deliveries. */
  visitors: (() => void)[];
}

/**
 * Decides which webhook is next. One row of a webhook is sent at a time, in order, and the next only when the last one is deleted: when a
 * process dies, at most one event of a webhook is sent twice. There is no clock and no database here. @spec D1-6.3
 */
export class WebhookSchedule<Row> {
  private readonly webhooks = new Map<string, ScheduledWebhook<Row>>();
  /** The queues. A set keeps the order in which ids came, and a map keeps that of owners. */
  private readonly wanting = new Set<string>();
  private readonly ready = new Map<string, Set<string>>();
  private readonly ownerOf: (row: Row) => string;

  constructor(ownerOf: (row: Row) => string) {
    this.ownerOf = ownerOf;
  }

  get ids(): string[] {
    return [...this.webhooks.keys()];
  }

  /** Schedules a webhook for which rows may wait. */
  wake(id: string): void {
    const webhook = this.webhooks.get(id);
    if (webhook) webhook.hasMore = true;
    else this.goOn(id, this.open(id, true));
  }

  /** Schedules a webhook for which rows were found. One that is scheduled already likely has them: they would be read twice. */
  find(id: string): void {
    if (!this.webhooks.has(id)) this.wake(id);
  }

  /** Drops what was read ahead and reads it again, because the webhook or its rows have changed. */
  renew(id: string): void {
    const webhook = this.webhooks.get(id);
    if (!webhook) return this.wake(id);
    Object.assign(webhook, { rows: [], hasMore: true, isStale: webhook.state === 'fetching' });
    if (webhook.state === 'ready') this.goOn(id, webhook);
  }

  /** Stops delivering for a webhook that another process delivers for now: a row that is being sent ends, and no other follows. */
  drop(id: string): void {
    const webhook = this.webhooks.get(id);
    if (!webhook) return;
    Object.assign(webhook, { rows: [], hasMore: false, isStale: webhook.state === 'fetching' });
    if (webhook.state === 'ready' || webhook.state === 'wanting') this.goOn(id, webhook);
  }

  /** Takes the webhooks whose rows are to be read now. */
  takeWanting(most: number): string[] {
    const ids: string[] = [];
    for (const id of this.wanting) {
      if (ids.length === most) break;
      ids.push(id);
      this.wanting.delete(id);
      Object.assign(this.webhooks.get(id)!, { state: 'fetching', hasMore: false });
    }
    return ids;
  }

  /** Gives a webhook the rows that were read. `isAll` is true when there were no more. */
  give(id: string, rows: readonly Row[], isAll: boolean): void {
    const webhook = this.webhooks.get(id);
    if (webhook?.state !== 'fetching') return;
    if (!webhook.isStale) {
      webhook.rows = [...rows];
      webhook.hasMore ||= !isAll;
    }
    webhook.isStale = false;
    this.goOn(id, webhook);
  }

  /** Takes the next row to send. Owners that may post take turns, and of each the webhook that has waited longest goes first. */
  takeReady(mayPost: (owner: string) => boolean): { id: string; row: Row } | undefined {
    for (const [owner, [id]] of this.ready) {
      if (!mayPost(owner)) continue;
      const webhook = this.webhooks.get(id!)!;
      this.leaveQueue(id!, webhook);
      this.goToTheBack(owner);
      webhook.state = 'posting';
      return { id: id!, row: webhook.rows.shift()! };
    }
    return undefined;
  }

  /** Notes that the row was delivered and is to be deleted. */
  delivered(id: string): void {
    const webhook = this.webhooks.get(id);
    if (webhook?.state === 'posting') webhook.state = 'settling';
  }

  /** Goes on after the row was deleted, or after the turn of a visitor is over. */
  settled(id: string): void {
    const webhook = this.webhooks.get(id);
    if (webhook) this.goOn(id, webhook);
  }

  /** Sends nothing more until something wakes the webhook: it failed, or another process delivers for it. */
  rest(id: string): void {
    const webhook = this.webhooks.get(id);
    if (!webhook) return;
    Object.assign(webhook, { rows: [], hasMore: false });
    this.goOn(id, webhook);
  }

  /** Waits until nothing of this webhook is on its way, and takes the turn before the next row. `settled` ends the turn. */
  turn(id: string): Promise<void> {
    return new Promise((begin) => {
      const webhook = this.webhooks.get(id) ?? this.open(id, false);
      webhook.visitors.push(begin);
      if (webhook.state === 'ready' || webhook.state === 'wanting') this.goOn(id, webhook);
    });
  }

  private open(id: string, hasMore: boolean): ScheduledWebhook<Row> {
    const webhook: ScheduledWebhook<Row> = { state: 'wanting', owner: '', rows: [], hasMore, isStale: false, visitors: [] };
    this.webhooks.set(id, webhook);
    return webhook;
  }

  private goOn(id: string, webhook: ScheduledWebhook<Row>): void {
    this.leaveQueue(id, webhook);
    const visitor = webhook.visitors.shift();
    if (visitor) {
      webhook.state = 'posting';
      visitor();
    } else if (webhook.rows.length > 0) this.queue(id, webhook);
    else if (webhook.hasMore) {
      webhook.state = 'wanting';
      this.wanting.add(id);
    } else this.webhooks.delete(id);
  }

  private queue(id: string, webhook: ScheduledWebhook<Row>): void {
    webhook.state = 'ready';
    webhook.owner = this.ownerOf(webhook.rows[0]!);
    const ids = this.ready.get(webhook.owner);
    if (ids) ids.add(id);
    else this.ready.set(webhook.owner, new Set([id]));
  }

  private leaveQueue(id: string, { state, owner }: ScheduledWebhook<Row>): void {
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
