import { setTimeout as pause } from 'node:timers/promises';
import type { FeedEvent } from '@cds/contracts';
import { move, signalOfAnswer, WEBHOOK_HEALTH, type WebhookHealth } from '@cds/domain';
import type { Clock } from '@cds/runtime/clock';
import type { Log } from '@cds/runtime/telemetry';
import { slotName, slotOf, toldEvent, type SlotKey, type Slots, type SlotState } from '../../feed/index.ts';
import { newId } from '../../ids.ts';
import { hostOf, type Concluded, type DeliveriesStore } from './deliveries.store.ts';
import { isReplay, type Due, type Met } from './due.ts';
import { Gathering } from './gathering.ts';
import type { HeldLeases } from './held-leases.ts';
import { Lanes } from './lanes.ts';
import { DEADLINE_MS, type Outgoing } from './outgoing.service.ts';
import { shardOf } from './shards.ts';

/** POSTs at once, deliveries under way with those whose rows are being deleted, and webhooks whose events are read in one statement. */
const MOST = { posting: 256, underWay: 1024, read: 500 } as const;
/** Events that are read ahead of a webhook: the fewer webhooks are read together, the more of each. */
const AHEAD = { least: 8, most: 32, together: 500 } as const;
/** A lease is to outlive the deadline by this much: a timer may be late. */
const MARGIN_MS = 1000;
/** The more are under way, the more are deleted in one go, and the longer the first of them waits; one that is alone does not wait at all. */
const SETTLE = { waitMs: 20, perMs: 10, most: 500, tries: 4, pauseMs: 100 } as const;
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
  private readonly lanes = new Lanes<Due>();
  private readonly underWay = new Set<Promise<void>>();
  private readonly together = { most: SETTLE.most, waitMs: () => Math.min(SETTLE.waitMs, this.underWay.size / SETTLE.perMs) };
  private readonly settled = new Gathering((dues: readonly Due[]) => this.settle(dues), this.together);
  private readonly changed = new Gathering((changes: readonly Concluded[]) => this.change(changes), this.together);
  private readonly slots = new Gathering((keys: readonly SlotKey[]) => this.statesOf(keys), LOOK_UP);
  private posting = 0;
  private isReading = false;
  private isGoingOn = false;
  private isLeaving = false;

  constructor(private readonly parts: DispatcherParts) {}

  /** Webhooks whose events are being read or delivered, or are about to be. */
  get inHand(): string[] {
    return this.lanes.ids;
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

  /** Begins nothing more, and waits for what is under way. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    while (this.underWay.size > 0) await Promise.all(this.underWay);
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
    while (!this.isLeaving && !this.parts.isPaused() && this.posting < MOST.posting && this.underWay.size < MOST.underWay) {
      const next = this.lanes.takeReady();
      if (!next) return;
      if (this.parts.leases.covers(shardOf(next.id), DEADLINE_MS + MARGIN_MS)) this.track(this.deliver(next.id, next.row).then(() => this.goOnSoon()));
      else this.lanes.rest(next.id);
    }
  }

  private async deliver(id: string, due: Due): Promise<void> {
    try {
      await this.conclude(id, due, await this.post(due));
    } catch (error) {
      this.parts.log.error('a delivery was left for later', { error });
      this.lanes.rest(id);
    }
  }

  private async post(due: Due): Promise<Met> {
    this.posting += 1;
    try {
      return await this.parts.outgoing.send(due.webhook, await this.told(due), due.event.traceparent);
    } finally {
      this.posting -= 1;
      this.goOnSoon();
    }
  }

  private async conclude(id: string, due: Due, { status, reason }: Met): Promise<void> {
    const { webhook } = due;
    const step = move(WEBHOOK_HEALTH, webhook.health, signalOfAnswer(status ?? 'no connection'))!;
    if (step.next === webhook.health) {
      this.lanes.delivered(id);
      await this.settled.ask(due);
      return this.lanes.settled(id);
    }
    const message = `The webhook to ${hostOf(webhook)} is ${SAID[step.next](reason)}`;
    await this.changed.ask({ due, change: { ...step, message } });
    this.lanes.rest(id);
    if (step.next === 'running') this.wake(id);
  }

  /** The event as at delivery: with the state of its slot now, and with an id of its own unless it was parked. @spec D1-6.1 @spec D1-6.3 */
  private async told(due: Due): Promise<FeedEvent> {
    const { event } = due;
    const slot = slotOf(event);
    const state = slot && (await this.slots.ask(slot));
    const states = slot && state ? new Map([[slotName(slot), state]]) : new Map<string, SlotState>();
    return toldEvent({ ...event, id: isReplay(due) ? event.id : newId('evt') }, states);
  }

  private async statesOf(keys: readonly SlotKey[]): Promise<(SlotState | undefined)[]> {
    const states = await this.parts.slots.statesOf(keys);
    return keys.map((key) => states.get(slotName(key)));
  }

  /** What was delivered and cannot be deleted would be delivered again: it is worth a few tries. */
  private async settle(dues: readonly Due[]): Promise<void[]> {
    for (let tries = 1; ; tries++) {
      try {
        await this.parts.store.settle(dues);
        return dues.map(() => undefined);
      } catch (error) {
        if (tries === SETTLE.tries) throw error;
        await pause(SETTLE.pauseMs * 2 ** tries);
      }
    }
  }

  private async change(changes: readonly Concluded[]): Promise<void[]> {
    await this.parts.store.change(changes, this.parts.clock.now());
    return changes.map(() => undefined);
  }

  private isOurs(webhook_id: string): boolean {
    return this.parts.leases.covers(shardOf(webhook_id), 0);
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
