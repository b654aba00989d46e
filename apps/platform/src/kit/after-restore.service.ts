import type { AuditAct, AuditEntry, Level } from '@codase/contracts';
import type { Bus, ProjectionShape } from '@codase/runtime/bus';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { RestoredActs } from './restored-acts.ts';

/** Returns a report of what was done after an older copy of the front door's database was restored, by ids: nothing yet. */
export const nothingAtFrontDoor = () => ({
  /** Whether the bus knew of acts that the database does not know. */
  was_older: false as boolean,
  /** Clients whose secret was replaced after this copy was made. The old secret is refused, so they need a new one. */
  clients_without_secret: [] as string[],
  /** Clients of these that had public keys, then or in this copy. No key counts any more: companies put the keys again. */
  clients_without_keys: [] as string[],
  /** Clients that were deleted after this copy was made, and are deleted again. */
  clients_deleted: [] as string[],
  /** Clients that were registered after this copy was made, and are gone: register them again. */
  clients_lost: [] as string[],
  /** Accounts that were disabled after this copy was made, or all of whose clients were, and are disabled again. */
  accounts_disabled: [] as string[],
  clients_disabled: [] as string[],
  /** Accounts whose level was changed after this copy was made, and is set again. */
  accounts_with_level: [] as string[],
  /** Accounts that moved after this copy was made, and get their new home region again. */
  accounts_moved: [] as string[],
  /** Accounts that were deleted after this copy was made, and are deleted again: the regions are asked once more. */
  accounts_deleted: [] as string[],
  /** Field types that were put after this copy was made, and are put again. */
  field_types_put: [] as string[],
  /** Verification providers that were added, changed or removed after this copy was made, and are so again. */
  verification_providers: [] as string[],
  sessions_ended: 0,
  /** Other acts of the exported audit that the database does not know. The operator has to decide whether to do them again. */
  acts_lost: [] as string[],
});
export type RestoreReport = ReturnType<typeof nothingAtFrontDoor>;

/** Returns a report of what was done after an older copy of a region's database was restored, by ids: nothing yet. */
export const nothingInRegion = () => ({
  /** Whether the bus knew of acts that the database does not know. */
  was_older: false as boolean,
  /** Services that were deleted after this copy was made. The region deletes them again when it starts. */
  services_deleted: [] as string[],
  /** Webhooks that were deleted after this copy was made, and are deleted again. */
  webhooks_deleted: [] as string[],
  /** Enrolments that were revoked after this copy was made, and are revoked again. */
  enrolments_revoked: [] as string[],
  /** Delegates that were removed, or left, after this copy was made, and are removed again. */
  delegates_removed: [] as string[],
  delegates_accepted: [] as string[],
  /** Grants to delegates that were revoked after this copy was made, and are revoked again. */
  grants_revoked: [] as string[],
  /** Grants whose key was taken back after this copy was made, and is taken back again. */
  keys_withdrawn: [] as string[],
  /** Grants whose key was first read after this copy was made, and is shown to the company as read again. */
  keys_read: [] as string[],
  /** Connections that ended after this copy was made, and are ended again. */
  connections_ended: [] as string[],
  /** Verifications that were ended after this copy was made, and are ended again. */
  verifications_ended: [] as string[],
  /** The number of challenges that were open or whose outcome was not delivered: they are closed, so that none counts as approved. */
  challenges_closed: 0,
  /** Accounts that moved away after this copy was made. Their rows here are old, and nothing is done with them. */
  accounts_moved: [] as string[],
  /** Accounts that moved here or signed up after this copy was made. The front door sends them here, and nothing of them is here. */
  accounts_lost: [] as string[],
  /** Delegates, of companies in other regions, whose home region has forgotten where to look for the delegation. It is noted again. */
  delegates_noted: [] as string[],
  /** Accounts that were deleted after this copy was made. The front door asks the region once more to delete them, when both run. */
  accounts_deleted: [] as string[],
  /** Other acts of the exported audit that the database does not know. The operator has to decide whether to do them again. */
  acts_lost: [] as string[],
});
export type RegionRestoreReport = ReturnType<typeof nothingInRegion>;

/** An act that a step does again, as the audit records it. */
export interface RepeatedAct {
  act: AuditAct;
  account_id?: string | null;
  object: string;
  /** The details say that the reason is the restore, unless others are given. */
  details?: { level: Level };
}

/** A restored database that is being reconciled, as every step gets it. */
interface Restored<Report> {
  /** The transaction that all steps share: a process that is killed meanwhile leaves nothing behind. */
  tx: EntityManager;
  bus: Bus;
  now: Date;
  /** The acts of the exported audit of this database; none when there is no export. */
  acts: RestoredActs;
  /** What was done until now. Each step adds what it does. */
  report: Report;
  /** Records in the audit what a step does again. */
  record(act: RepeatedAct): Promise<void>;
  /** Does work once the transaction is committed: what is published or stored elsewhere. It must be repeatable. */
  afterCommit(work: () => Promise<unknown>): void;
}

export interface RestoredFrontDoor extends Restored<RestoreReport> {
  /** Returns the rows as they were published last. Unless `report.was_older` the bus knows nothing better: it may be new. */
  published<S extends z.ZodType>(table: ProjectionShape<S>): Promise<z.infer<S>[]>;
  /** The companies that the copy has in an earlier region, as far as the steps have found out. */
  moved: { user_id: string; from_region: string; to_region: string }[];
}

export interface RestoredRegion extends Restored<RegionRestoreReport> {
  region: string;
  /** The database of the front door, which was not restored, or was reconciled before. */
  frontDoor: DataSource;
  /** Who became a delegate, by the exported audits of all regions; empty when there are none. */
  delegates_added: readonly AuditEntry[];
}

type Step<R> = (restored: R) => Promise<unknown>;

/**
 * What a capability does after its database was restored from an older copy, or why it does nothing. It may be done several times. All
 * steps in `first` run before those in `last`; in each of the two the steps run in the order of the capabilities.
 */
export type AfterRestore<R> =
  | {
      first?: readonly Step<R>[];
      last?: readonly Step<R>[];
      /** Acts that are not reported as lost, because the steps do them again or make up for them. */
      covers?: readonly AuditAct[];
    }
  | { nothing: string };
