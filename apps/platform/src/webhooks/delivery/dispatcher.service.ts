import { setTimeout as pause } from 'node:timers/promises';
import { DRAIN_ANSWER, type FeedEvent } from '@cds/contracts';
import { move, signalOfAnswer, WEBHOOK_HEALTH, type WebhookHealth } from '@cds/domain';
import type { Clock } from '@cds/runtime/clock';
import type { Log } from '@cds/runtime/telemetry';
import { isWanted, slotName, slotOf, presentEvent, type SlotKey, type Slots, type SlotState } from '../../feed/index.ts';
import { newId } from '../../ids.ts';
import { hostOf, type Concluded, type DeliveriesStore } from './deliveries.store.ts';
import { isReplay, type Due, type Met, type Outcome, type Target } from './due.ts';
import { Gathering } from './gathering.ts';
import type { HeldLeases } from './held-leases.ts';
import { Lanes } from './lanes.ts';
import { DEADLINE_MS, type Outgoing } from './outgoing.service.ts';
import { shardOf } from './shards.ts';
import { Shares } from './shares.ts';

/**
 * POSTs at once (a company that is alone gets half of them), deliveries under way with those whose rows are being deleted, and webhooks whose
 * events are read in one statement.
 */
const MOST = { posting: 512, underWay: 1024, read: 500 } as const;
/** Events that are read ahead of a webhook: the fewer webhooks are read together, the more of each. */
const AHEAD = { least: 8, most: 32, together: 500 } as const;
/** A lease is to outlive the deadline by this much: a timer may be late. */
const MARGIN_MS = 1000;
/** The more are under way, the more are deleted in one go, and the longer the first of them waits; one that is alone does not wait at all. */
const SETTLE = { waitMs: 20, perMs: 10, most: 500, tries: 4, pauseMs: 100 } as const;
/** To replay a long backlog takes long to begin: they are few, and apart from those that fail. */
const REPLAY = { most: 20 } as const;
/** What somebody else holds is asked for again, for longer than the answer to a drain may take to leave. */
const HELD = { pauseMs: 500, tries: 2 * (DRAIN_ANSWER.seconds + 2) } as const;
const LOOK_UP = { waitMs: () => 0, most: 500 } as const;

/** What the log says of a webhook's health, and why. */
const SAID: Record<WebhookHealth, (reason: string | null) => string> = {
  running: () => 'running again: what waits is delivered now',
  bad: (reason) => `bad: ${reason}. Its events wait until it is probed`,
  unknown: () => 'probed',
};

export interface DispatcherParts {
  store: DeliveriesStore;
  outgoing: Outgoing;
  slots: Slots;
  leases: HeldLeases;
  clock: Clock;
  log: Log;
  /** Saving is paused in the region, or it is out of order: nothing goes out that could not be written down. */
  isPaused(): boolean;
}

/** Delivers what waits for the webhooks of one region: webhooks take turns, and each gets its events in order. @spec D1-6.3 */
export class Dispatcher {
  private readonly lanes = new Lanes<Due>(({ webhook }) => webhook.company_user_id);
  private readonly places = new Shares(MOST.posting);
  private readonly underWay = new Set<Promise<void>>();
  private readonly together = { most: SETTLE.most, waitMs: () => Math.min(SETTLE.waitMs, this.underWay.size / SETTLE.perMs) };
  private readonly settled = new Gathering((dues: readonly Due[]) => insist(() => this.parts.store.settle(dues)), this.together);
  private readonly changed = new Gathering((changes: readonly Concluded[]) => this.change(changes), this.together);
  private readonly replayed = new Gathering((changes: readonly Concluded[]) => this.change(changes), { ...this.together, ...REPLAY });
  private readonly slots = new Gathering((keys: readonly SlotKey[]) => this.statesOf(keys), LOOK_UP);
  private isReading = false;
  private isGoingOn = false;
  private isLeaving = false;

  constructor(private readonly parts: DispatcherParts) {}

  /** Webhooks whose events are being read or delivered, or are about to be. */
  get inHand(): string[] {
    return this.lanes.ids;
  }

  /** Whether this process delivers for the webhook. */
  isOurs(webhook_id: string): boolean {
    return this.parts.leases.covers(shardOf(webhook_id), 0);
  }

  /** Something new may wait for this webhook; those of other processes are left to them. */
  wake(webhook_id: string): void {
    if (this.isOurs(webhook_id)) this.lanes.wake(webhook_id);
    this.goOnSoon();
  }

  /** These were found to have something waiting. */
  found(webhook_ids: readonly string[]): void {
    for (const id of webhook_ids) if (this.isOurs(id)) this.lanes.find(id);
    this.goOn();
  }

  /** A webhook was changed or deleted. */
  renew(webhook_id: string): void {
    if (this.isOurs(webhook_id)) this.lanes.renew(webhook_id);
    this.goOn();
  }

  /** Hints were missed: whatever is in hand may not be what it was. */
  renewAll(): void {
    for (const id of this.lanes.ids) this.lanes.renew(id);
    this.goOn();
  }

  /** Lets go of webhooks that are another process's by now. */
  dropOthers(): void {
    for (const id of this.lanes.ids) if (!this.isOurs(id)) this.lanes.drop(id);
  }

  /** Sends something that is in no queue, when nothing else of the webhook is on its way. Undefined when it is another process's. @gap D1-4.7 */
  sendBeside(webhook: Target, event: FeedEvent, headers: Record<string, string>): Promise<Met | undefined> {
    const sent = this.sendInTurn(webhook, event, headers);
    this.track(
      sent.then(
        () => undefined,
        () => undefined,
      ),
    );
    return sent;
  }

  /** Begins nothing more, and waits for what is under way. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async sendInTurn(webhook: Target, event: FeedEvent, headers: Record<string, string>): Promise<Met | undefined> {
    const { webhook_id } = webhook;
    await this.lanes.turn(webhook_id);
    try {
      const ready = await this.parts.outgoing.prepare(webhook, event);
      return this.mayPost(webhook_id)
        ? await this.parts.outgoing.send({ ...ready, headers: { ...ready.headers, ...headers } }, null)
        : undefined;
    } finally {
      this.lanes.settled(webhook_id);
      this.goOnSoon();
    }
  }

  private goOn(): void {
    if (this.isLeaving || this.parts.isPaused()) return;
    this.deliverReady();
    if (!this.isReading) this.track(this.read());
  }

  private async read(): Promise<void> {
    this.isReading = true;
    for (let ids = this.lanes.takeWanting(MOST.read); ids.length > 0; ids = this.lanes.takeWanting(MOST.read)) {
      await this.readFor(ids);
      this.deliverReady();
    }
    this.isReading = false;
  }

  /** What could not be read rests; the next look finds it again. */
  private async readFor(ids: readonly string[]): Promise<void> {
    try {
      const rows = new Map<string, Due[]>(ids.map((id) => [id, []]));
      const each = Math.max(AHEAD.least, Math.min(AHEAD.most, Math.floor(AHEAD.together / ids.length)));
      for (const due of await this.parts.store.next(ids, each, this.parts.clock.now())) rows.get(due.webhook.webhook_id)!.push(due);
      for (const [id, dues] of rows) this.lanes.give(id, dues, dues.length < each);
    } catch (error) {
      this.parts.log.error('events could not be read for delivery', { error });
      for (const id of ids) this.lanes.rest(id);
    }
  }

  private deliverReady(): void {
    while (!this.isLeaving && !this.parts.isPaused() && this.underWay.size < MOST.underWay) {
      const next = this.lanes.takeReady((company) => this.places.hasRoom(company));
      if (!next) return;
      if (this.mayPost(next.id)) this.track(this.deliver(next.id, next.row).then(() => this.goOnSoon()));
      else this.lanes.rest(next.id);
    }
  }

  private async deliver(id: string, due: Due): Promise<void> {
    try {
      const met = await this.post(id, due);
      if (met === 'not wanted') await this.finish(id, due);
      else await this.conclude(id, due, met);
    } catch (error) {
      this.parts.log.error('a delivery was left for later', { error });
      this.lanes.rest(id);
    }
  }

  /** What is queued may have become another kind, or the webhook's choice may have been narrowed since. @spec D1-2.9 @spec D1-6.1 */
  private async post(id: string, due: Due): Promise<Met | 'not wanted'> {
    const leave = this.places.take(due.webhook.company_user_id);
    try {
      const event = await this.told(due);
      if (!isWanted(due.webhook.events, event)) return 'not wanted';
      const ready = await this.parts.outgoing.prepare(due.webhook, event);
      if (!this.mayPost(id)) throw new Error('The lease ran out while the delivery was prepared');
      return await this.parts.outgoing.send(ready, due.event.traceparent);
    } finally {
      leave();
      this.goOnSoon();
    }
  }

  private async conclude(id: string, due: Due, { status, reason }: Met): Promise<void> {
    const { webhook } = due;
    const step = move(WEBHOOK_HEALTH, webhook.health, signalOfAnswer(status ?? 'no connection'))!;
    if (step.next === webhook.health) return this.finish(id, due);
    const message = `The webhook to ${hostOf(webhook)} is ${SAID[step.next](reason)}`;
    const isReplayed = step.next === 'running';
    const isChanged = await untilFree(isReplayed ? this.replayed : this.changed, { due, change: { ...step, message } });
    this.lanes.rest(id);
    if (isReplayed || !isChanged) this.wake(id);
  }

  /** Its row goes. Where it was gone already somebody else took it, and what was read ahead with it may be gone too. */
  private async finish(id: string, due: Due): Promise<void> {
    this.lanes.delivered(id);
    const isDone = await untilFree(this.settled, due);
    if (!isDone || due.webhook.health === 'unknown') this.lanes.renew(id);
    this.lanes.settled(id);
  }

  /** The event as at delivery: with the state of its slot now, and with an id of its own unless it was parked. @spec D1-6.1 @spec D1-6.3 */
  private async told(due: Due): Promise<FeedEvent> {
    const { event } = due;
    const slot = slotOf(event);
    const state = slot && (await this.slots.ask(slot));
    const states = slot && state ? new Map([[slotName(slot), state]]) : new Map<string, SlotState>();
    return presentEvent({ ...event, id: isReplay(due) ? event.id : newId('evt') }, states);
  }

  private async statesOf(keys: readonly SlotKey[]): Promise<(SlotState | undefined)[]> {
    const states = await this.parts.slots.statesOf(keys);
    return keys.map((key) => states.get(slotName(key)));
  }

  private change(changes: readonly Concluded[]): Promise<Outcome[]> {
    return insist(() => this.parts.store.change(changes, this.parts.clock.now()));
  }

  /** A delivery that begins now is over before anybody else can begin one. */
  private mayPost(webhook_id: string): boolean {
    return this.parts.leases.covers(shardOf(webhook_id), DEADLINE_MS + MARGIN_MS);
  }

  private track(work: Promise<void>): void {
    const tracked = work.finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }

  /** Many end at about the same time: it is enough to look once after them. */
  private goOnSoon(): void {
    if (this.isGoingOn) return;
    this.isGoingOn = true;
    setImmediate(() => {
      this.isGoingOn = false;
      this.goOn();
    });
  }
}

/** What was delivered and cannot be written down would be delivered again: it is worth a few tries. */
async function insist<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (tries === SETTLE.tries) throw error;
      await pause(SETTLE.pauseMs * 2 ** tries);
    }
  }
}

/** Asks again while somebody else holds what it is about; the others do not wait for that. Answers whether it was done. */
async function untilFree<In>(asked: Gathering<In, Outcome>, item: In): Promise<boolean> {
  for (let tries = 0; tries < HELD.tries; tries++) {
    const outcome = await asked.ask(item);
    if (outcome !== 'held') return outcome === 'done';
    await pause(HELD.pauseMs);
  }
  throw new Error('Somebody else held a webhook or its events for too long');
}
