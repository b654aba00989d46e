import { Inject, Injectable } from '@nestjs/common';
import { Refusal, SHARED_ONCE_FILE_DAYS, type SentValue, type Verification } from '@codase/contracts';
import type { FieldTypes } from '@codase/domain/field-types';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { EntityManager } from 'typeorm';
import { emit, type NewEvent } from '../../services/feed/index.ts';
import { FieldTypesView } from '../../services/registry/index.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { listRequestFields } from '../../services/services/index.ts';
import { checkAnswers, rowOf, rowsFor, type Offered, type RequestedRow } from './answers.ts';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';
import { noteDrop } from './connections.store.ts';
import { slotEvent } from './events.ts';
import { refuseStaleChange } from './live-slots.service.ts';
import type { RequestOf } from './region-protocol.ts';
import { isSameValue } from './same-value.ts';
import { fileDigest } from './shared-file.ts';
import type { StoredFile } from './shared-files.store.ts';
import { decline, listValues, putValue, removeValues, undecline, type NewValue } from './values.store.ts';

const DAY_MS = 86_400_000;

/** An answer of a customer to a field of a flow: the text or the file that is sealed to the service. */
export interface GatheredAnswer {
  slug: string;
  /** The type of the field that was answered. */
  type: string;
  value: string | StoredFile;
  source_private: boolean;
  verification: Verification;
}

/** `at` is the time of this region. `as_of` is when the customer made the change, by the clock of the home region. */
interface Moments {
  at: Date;
  as_of: Date;
}

/** The answers of one call, and the rows that they go to. */
interface Given extends Moments {
  rows: readonly RequestedRow[];
  values: readonly Offered<StoredFile>[];
}

interface Taken extends Given {
  stored: readonly SharedValueRow[];
}

/** Changes the answers of customers on their connections, which are locked. @spec D1-2.7 @spec D1-6.1 */
@Injectable()
export class ConnectionAnswers {
  constructor(
    private readonly view: FieldTypesView,
    private readonly attestations: Attestations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Refuses answers that their rows do not take. */
  check(rows: readonly RequestedRow[], values: readonly Offered<StoredFile>[], at: Date): void {
    checkAnswers(this.types, rows, values, at);
  }

  /** Returns values with those verifications that a provider attested for the customer, whatever the home region says. @gap D1-2.7 */
  proven(customer_user_id: string, values: readonly SentValue[]): Promise<SentValue[]> {
    return Promise.all(
      values.map(async ({ source, ...value }) => {
        if (!source) return { ...value, source };
        const { field, type, verification } = source;
        const proven = await this.attestations.proven(verification, { user_id: customer_user_id, field, type });
        return { ...value, source: { ...source, verification: proven } };
      }),
    );
  }

  /** Stores the answers with which a connection begins. The event of the connection tells of them. */
  async add(tx: EntityManager, connection: ConnectionRow, { rows, values, ...moments }: Given): Promise<void> {
    for (const value of values) await putValue(tx, connection, this.stored(rowOf(rows, value.slug), value, moments));
  }

  /** Stores new answers, takes answers back and declines rows, with their events. Returns whether anything is new. @spec D1-6.1 */
  async change(
    tx: EntityManager,
    connection: ConnectionRow,
    { values: given, drop, decline: declined, at: wantedAt }: Pick<RequestOf<'change'>, 'values' | 'drop' | 'decline' | 'at'>,
  ): Promise<boolean> {
    const rows = rowsFor(await listRequestFields(tx, connection), connection.customer_type);
    const at = this.clock.now();
    const values = await this.proven(connection.customer_user_id, given);
    this.check(rows, values, at);
    const answered = values.map(({ slug }) => slug);
    checkApart(answered, drop, declined);
    const stored = await listValues(tx, [connection.connection_id]);
    const changed = stored.filter(({ slug }) => drop.includes(slug) || answered.includes(slug));
    refuseStaleChange(changed, wantedAt);
    const as_of = new Date(wantedAt);
    const events = [
      ...(await this.takeAll(tx, connection, { rows, stored, values, at, as_of })),
      ...(await dropAll(tx, connection, { stored, slugs: drop, at, as_of })),
      ...(await declineAll(tx, connection, { rows, stored, slugs: declined, at })),
    ];
    await emit(tx, events);
    return events.length > 0;
  }

  /**
   * Stores answers that a contract flow collected from the customer, as if the customer had given them on the connection. Each goes to the
   * row of its slug, as a one-time value. An answer that no row asks for, or that its row would refuse, stays with the run only.
   * @spec D2-1 @gap D2-1
   */
  async takeGathered(tx: EntityManager, connection: ConnectionRow, gathered: readonly GatheredAnswer[]): Promise<void> {
    const rows = rowsFor(await listRequestFields(tx, connection), connection.customer_type);
    const at = this.clock.now();
    const values = gathered
      .map(({ type, verification: given, ...answer }) => {
        const verification = this.attestations.standing(given);
        return { ...answer, live: false, source: { field: answer.slug, type, verification } };
      })
      .filter((value) => rows.some(({ slug }) => slug === value.slug) && isTaken(this.types, rows, value, at));
    const stored = await listValues(tx, [connection.connection_id]);
    await emit(tx, await this.takeAll(tx, connection, { rows, stored, values, at, as_of: at }));
  }

  private get types(): FieldTypes {
    return this.view.types;
  }

  /** Stores the answers and returns their events: consent for a first answer, update for one that replaces another. @spec D1-6.1 */
  private async takeAll(tx: EntityManager, connection: ConnectionRow, { rows, stored, values, ...moments }: Taken): Promise<NewEvent[]> {
    const events: NewEvent[] = [];
    for (const value of values) {
      const before = stored.find(({ slug }) => slug === value.slug);
      const next = this.stored(rowOf(rows, value.slug), value, moments);
      if (before && isSameValue(before, next)) continue;
      await putValue(tx, connection, next);
      if (!before) await undecline(tx, connection.connection_id, next.service_field_id);
      events.push(slotEvent(before ? 'field_updated' : 'consent_accepted', connection, value.slug, moments.at));
    }
    return events;
  }

  /**
   * Returns the answer as it is stored. A one-time row takes a snapshot, even if a live answer was offered. Only a live answer keeps its
   * source field, which it follows. @spec D1-2.6 @spec D1-2.7
   */
  private stored(row: RequestedRow, { value, live, source_private, source }: Offered<StoredFile>, { at, as_of }: Moments): NewValue {
    const isLive = live && !row.one_time;
    const file_sha256 = typeof value === 'string' ? fileDigest(this.types, row.type, source_private, value) : value.file_sha256;
    return {
      service_field_id: row.service_field_id,
      content: value,
      file_sha256,
      live: isLive,
      source_private,
      source_field: isLive ? (source?.field ?? null) : null,
      verification: source?.verification ?? {},
      updated_at: at,
      as_of,
      expires_at: !isLive && file_sha256 !== null ? new Date(at.getTime() + SHARED_ONCE_FILE_DAYS * DAY_MS) : null,
    };
  }
}

/** Whether the row of a value takes it. A row refuses from a flow what it would refuse from the customer. */
function isTaken(types: FieldTypes, rows: readonly RequestedRow[], value: Offered, at: Date): boolean {
  try {
    checkAnswers(types, rows, [value], at);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

const invalid = (reason: string) => new Refusal('company_connections.values_invalid').because(reason);

/** Refuses a request that names the same slug twice, in one list or in two. */
function checkApart(...lists: readonly (readonly string[])[]): void {
  const slugs = lists.flat();
  const twice = slugs.find((slug, nth) => slugs.indexOf(slug) !== nth);
  if (twice !== undefined) throw invalid(`${twice}: answer it, drop it or decline it`);
}

interface Dropped extends Moments {
  stored: readonly SharedValueRow[];
  slugs: readonly string[];
}

/** Takes live answers back, once. A snapshot was given for good. @spec D1-6.1 @gap D1-6.1 */
async function dropAll(tx: EntityManager, connection: ConnectionRow, { stored, slugs, at, as_of }: Dropped): Promise<NewEvent[]> {
  if (slugs.length === 0 || !(await noteDrop(tx, connection.connection_id, as_of))) return [];
  const dropped = slugs.map((slug) => {
    const value = stored.find((one) => one.slug === slug && one.live);
    if (!value) throw invalid(`${slug}: nothing live is shared there`);
    return value;
  });
  const service_field_ids = dropped.map(({ service_field_id }) => service_field_id);
  await removeValues(tx, connection.connection_id, service_field_ids);
  return dropped.map(({ slug }) => slotEvent('field_deleted', connection, slug, at));
}

interface Declined {
  rows: readonly RequestedRow[];
  stored: readonly SharedValueRow[];
  slugs: readonly string[];
  at: Date;
}

/** Declines rows. The connection goes on without them, even if a row is mandatory for customers who connect now. @spec D1-6.1 */
async function declineAll(tx: EntityManager, connection: ConnectionRow, { rows, stored, slugs, at }: Declined): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const slug of slugs) {
    const { service_field_id } = rowOf(rows, slug);
    if (stored.some((value) => value.slug === slug)) throw invalid(`${slug}: it is answered; drop it instead`);
    if (await decline(tx, connection, service_field_id, at)) events.push(slotEvent('consent_declined', connection, slug, at));
  }
  return events;
}
