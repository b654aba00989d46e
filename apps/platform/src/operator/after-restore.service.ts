import { restoreMark, type AuditEntry } from '@codase/contracts';
import { ProjectionReader, ProjectionWriter, type Bus, type ProjectionShape } from '@codase/runtime/bus';
import { ConfigFault } from '@codase/runtime/config';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { CAPABILITIES } from '../capabilities.ts';
import {
  asOperator,
  Audit,
  isRestored,
  lastPosition,
  mayRaiseEpoch,
  raiseEpoch,
  RESTORE_MARKS,
  timeOfLast,
} from '../foundation/audit/index.ts';
import {
  nothingAtFrontDoor,
  nothingInRegion,
  type AfterRestore,
  type RegionRestoreReport,
  type RepeatedAct,
  type RestoredFrontDoor,
  type RestoredRegion,
  type RestoreReport,
} from '../kit/after-restore.service.ts';
import { RestoredActs } from '../kit/restored-acts.ts';

interface FrontDoorToReconcile {
  frontDoor: DataSource;
  bus: Bus;
  /** The exported audit of the front door; undefined when there is none. */
  exported?: readonly AuditEntry[];
}

interface RegionToReconcile {
  region: string;
  db: DataSource;
  /** The database of the front door, which was not restored, or was reconciled before. */
  frontDoor: DataSource;
  bus: Bus;
  /** The exported audit of this region; empty when there is none. */
  exported: readonly AuditEntry[];
  /** Who became a delegate, by the exported audits of all regions; empty when there are none. */
  delegates_added: readonly AuditEntry[];
}

/**
 * Reconciles the front door's database after an older copy was restored: repeats later revocations that the buckets on the bus still know.
 * All sessions end and all users sign in again, since nobody knows which sessions were ended. Run it while no front door runs. It may be
 * repeated.
 */
export async function afterRestore({ frontDoor, bus, exported = [] }: FrontDoorToReconcile, now: Date): Promise<RestoreReport> {
  const restored = { db: frontDoor, bus, exported, now };
  return reconcile<RestoredFrontDoor>(restored, nothingAtFrontDoor(), {
    declared: CAPABILITIES.flatMap(({ afterRestore: { frontDoor: own } = {} }) => own ?? []),
    complete: (shared) => ({ ...shared, published: (table) => rowsOf(bus, table), moved: [] }),
    details: ({ sessions_ended }) => ({ sessions: sessions_ended }),
  });
}

/**
 * Reconciles a region's database after an older copy was restored: repeats later deletions that the front door and the exported audit know
 * of, and lists the rest. Run it while the region and the delivery do not run. It may be repeated.
 */
export async function afterRegionRestore(
  { region, db, frontDoor, bus, exported, delegates_added }: RegionToReconcile,
  now: Date,
): Promise<RegionRestoreReport> {
  const restored = { db, bus, exported, now, region };
  return reconcile<RestoredRegion>(restored, nothingInRegion(), {
    declared: CAPABILITIES.flatMap(({ afterRestore: { region: own } = {} }) => own ?? []),
    complete: (shared) => ({ ...shared, region, frontDoor, delegates_added }),
  });
}

interface ToReconcile {
  db: DataSource;
  bus: Bus;
  exported: readonly AuditEntry[];
  now: Date;
  /** Undefined for the front door. */
  region?: string;
}

/** What the steps of every database get. */
type Shared<R extends RestoredFrontDoor | RestoredRegion> = Pick<R, 'tx' | 'bus' | 'now' | 'acts' | 'report' | 'record' | 'afterCommit'>;

interface Declared<R extends RestoredFrontDoor | RestoredRegion> {
  /** What the capabilities declare, in their order. */
  declared: readonly AfterRestore<R>[];
  complete(shared: Shared<R>): R;
  /** The facts about the whole that the audit gets. */
  details?(report: R['report']): { sessions: number };
}

/** Runs the steps of all capabilities in one transaction, and then notes on the bus how far the database has come. */
async function reconcile<R extends RestoredFrontDoor | RestoredRegion>(
  { db, bus, exported, now, region }: ToReconcile,
  report: R['report'],
  { declared, complete, details }: Declared<R>,
): Promise<R['report']> {
  const [acts, audit] = [new RestoredActs(exported), auditOf(db, now)];
  if (!(await mayRaiseEpoch(db)))
    throw new ConfigFault(["DATABASE_URL: name the database with its owner's role: the role of a service may not number the audit anew"]);
  report.was_older = await isRestored(db, bus, silentLog, region);
  const mark = await readMark(bus, region);
  const committed: (() => Promise<unknown>)[] = [];
  await db.transaction((tx) =>
    asOperator(async () => {
      report.acts_lost = acts.after(await timeOfLast(tx), coveredBy(declared));
      await raiseEpoch(tx, mark?.epoch ?? 0);
      const record = (act: RepeatedAct) => audit.record(tx, { details: { reason: 'restore' }, ...act });
      const afterCommit = (work: () => Promise<unknown>) => void committed.push(work);
      const restored = complete({ tx, bus, now, acts, report, record, afterCommit } as Shared<R>);
      for (const step of stepsOf(declared)) await step(restored);
      await audit.record(tx, {
        act: 'restore.reconciled',
        ...(region !== undefined && { object: region }),
        ...(details && { details: details(report) }),
      });
    }),
  );
  for (const work of committed) await work();
  const { epoch, txid, seq } = await lastPosition(db);
  await (await ProjectionWriter.open(bus, RESTORE_MARKS)).put(restoreMark(region), { epoch, txid, seq });
  return report;
}

const auditOf = (db: DataSource, now: Date) => new Audit(db, { addresses: 'none', retentionYears: 1 }, { now: () => now }, silentLog);

function stepsOf<R>(declared: readonly AfterRestore<R>[]): ((restored: R) => Promise<unknown>)[] {
  const reconciling = declared.flatMap((one) => ('nothing' in one ? [] : [one]));
  return [...reconciling.flatMap(({ first = [] }) => first), ...reconciling.flatMap(({ last = [] }) => last)];
}

const coveredBy = (declared: readonly AfterRestore<never>[]) =>
  new Set<string>(declared.flatMap((one) => ('nothing' in one ? [] : (one.covers ?? []))));

async function readMark(bus: Bus, region: string | undefined) {
  const marks = await ProjectionReader.open(bus, RESTORE_MARKS, silentLog);
  const mark = marks.get(restoreMark(region));
  await marks.close();
  return mark;
}

async function rowsOf<S extends z.ZodType>(bus: Bus, table: ProjectionShape<S>): Promise<z.infer<S>[]> {
  const reader = await ProjectionReader.open(bus, table, silentLog);
  const rows = [...reader.all()];
  await reader.close();
  return rows;
}
