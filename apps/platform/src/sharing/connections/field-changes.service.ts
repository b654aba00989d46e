import { Injectable } from '@nestjs/common';
import { CONNECTION_SUBJECTS, Refusal } from '@codase/contracts';
import { currentStatement } from '@codase/runtime/initiator';
import type { EntityManager } from 'typeorm';
import { movedMeanwhile, Peers } from '../../foundation/peers/index.ts';
import { listCompaniesElsewhere } from './customer-companies.store.ts';
import { CustomerWrites } from './customer-writes.service.ts';
import { LiveSlots } from './live-slots.service.ts';
import type { ReplyOf, RequestOf, SlotOperation } from './region-protocol.ts';
import { SlotChanges } from './slot-changes.service.ts';
import { addSlotChanges, hasSlotChangesHere, type NewSlotChange } from './slot-changes.store.ts';

/** A live slot that follows the field. */
type FollowedSlot = ReplyOf<'slots'>['slots'][number];

/** The part of a request that says what to do to the slots. The other members say whose field it is and when it changed. */
type Content<O extends SlotOperation> = O extends SlotOperation
  ? Omit<RequestOf<O>, 'user_id' | 'field' | 'at' | 'company_user_id'>
  : never;

/** A change of a customer's own field. */
interface FieldChange<O extends SlotOperation, T> {
  user_id: string;
  field: string;
  operation: O;
  /** Writes the change here, and returns what becomes of all slots that follow the field. When it refuses, nothing changes anywhere. */
  write(tx: EntityManager, slots: readonly FollowedSlot[]): Promise<{ kept: T; content: Content<O> }>;
}

/**
 * Changes a field and every slot that follows it. It first asks other regions whether they would take the change. Then one transaction in
 * the home region writes the change, the slots of this region and an outbox for the others. From then on the change cannot be refused any
 * more. It is delivered at once, so that a read after the answer sees it, or later by the worker when a region cannot be reached (decision
 * 31). @gap D1-6.1
 */
@Injectable()
export class FieldChanges {
  constructor(
    private readonly writes: CustomerWrites,
    private readonly peers: Peers,
    private readonly liveSlots: LiveSlots,
    private readonly outbox: SlotChanges,
  ) {}

  async make<O extends SlotOperation, T>(change: FieldChange<O, T>): Promise<T> {
    const made = await this.writes.transaction(change.user_id, async (tx, at) =>
      (await this.needsOthers(tx, change.user_id)) ? undefined : { kept: await this.write(tx, at, change, NOBODY) },
    );
    return made ? made.kept : this.makeWithOthers(change);
  }

  private async needsOthers(tx: EntityManager, user_id: string): Promise<boolean> {
    return (await listCompaniesElsewhere(tx, user_id)).length > 0 || hasSlotChangesHere(tx, user_id);
  }

  private makeWithOthers<O extends SlotOperation, T>(change: FieldChange<O, T>): Promise<T> {
    const { user_id, field } = change;
    const begin = (tx: EntityManager) => listCompaniesElsewhere(tx, user_id);
    return this.writes.leased(user_id, begin, async (lease, companies) => {
      await this.outbox.deliverAll(user_id, lease.keep);
      const slots = await this.slotsElsewhere(companies, { user_id, field, at: lease.at.toISOString() });
      const kept = await lease.transaction((tx) => this.write(tx, lease.at, change, { companies, slots }));
      await this.outbox.deliver(user_id);
      return kept;
    });
  }

  private async slotsElsewhere(companies: readonly string[], request: RequestOf<'slots'>): Promise<SlotElsewhere[]> {
    const regions = await this.peers.othersWith(companies);
    const slotsOf = async (region: string) => {
      const { slots } = await this.peers.call(CONNECTION_SUBJECTS.slots, region, request);
      return slots.map((slot) => ({ ...slot, region }));
    };
    const slots = await Promise.all(regions.map(slotsOf)).catch((error: unknown) => {
      throw movedMeanwhile(error, 'db.writes_paused');
    });
    // A company that ended a move meanwhile has no rows in its old region any more, and its new one may not have been asked.
    const isUnasked = (region: string) => !regions.includes(region);
    if ((await this.peers.othersWith(companies)).some(isUnasked)) throw new Refusal('db.writes_paused');
    return slots.flat();
  }

  private async write<O extends SlotOperation, T>(
    tx: EntityManager,
    moment: Date,
    { user_id, field, operation, write }: FieldChange<O, T>,
    request: RequestedRegions,
  ): Promise<T> {
    const changed = { user_id, field, at: moment.toISOString() };
    const { slots: here } = await this.liveSlots.slots(tx, changed);
    // A company that has moved here since its old region was asked counts as one of this region.
    const elsewhere = request.slots.filter(({ connection_id }) => !here.some((slot) => slot.connection_id === connection_id));
    const { kept, content } = await write(tx, [...elsewhere, ...here]);
    if (here.length > 0) await this.liveSlots[operation](tx, { ...changed, ...content } as never);
    const handOver = { ...changed, operation, content, moment };
    const byCompany = Map.groupBy(elsewhere, ({ company_user_id }) => company_user_id);
    const outbox = [...byCompany.values()].flatMap((slots) => handedOver(slots, handOver));
    await addSlotChanges(tx, outbox);
    // A company may have moved away before its slots were read here. This check comes last, so that it sees every such move.
    const isUnasked = (company: string) => !request.companies.includes(company);
    if ((await listCompaniesElsewhere(tx, user_id)).some(isUnasked)) throw new Refusal('db.writes_paused');
    return kept;
  }
}

type SlotElsewhere = FollowedSlot & { region: string };

/** The companies whose regions were asked, and the slots that these regions have. */
interface RequestedRegions {
  companies: readonly string[];
  slots: readonly SlotElsewhere[];
}
const NOBODY: RequestedRegions = { companies: [], slots: [] };

interface HandedOver {
  user_id: string;
  field: string;
  at: string;
  operation: SlotOperation;
  content: Content<SlotOperation>;
  moment: Date;
}

const isFollow = (content: Content<SlotOperation>): content is Content<'follow'> => 'copies' in content;

/** Returns the outbox rows for one company, one for each copy: a row may move with the customer, in one message. */
function handedOver(slots: readonly SlotElsewhere[], { operation, content, moment, ...changed }: HandedOver): NewSlotChange[] {
  const [{ company_user_id, region }] = slots as [SlotElsewhere];
  const contents = isFollow(content)
    ? content.copies
        .filter((copy) => slots.some(({ connection_id, slug }) => copy.connection_id === connection_id && copy.slug === slug))
        .map((copy) => ({ ...content, copies: [copy] }))
    : [content];
  const statement = currentStatement()?.text ?? null;
  const change = { customer_user_id: changed.user_id, company_user_id, region, operation, statement, at: moment };
  return contents.map((one) => ({ ...change, request: { ...changed, company_user_id, ...one } }));
}
