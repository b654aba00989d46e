import { Inject, Injectable } from '@nestjs/common';
import { Refusal, RUN_ANSWER_BYTES, type CustomerRun, type Run, type SentTurn } from '@codase/contracts';
import { awaiting, move, RUN, type RunEffect } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { currentStatement } from '@codase/runtime/initiator';
import { together } from '@codase/runtime/db';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { FieldTypesView } from '../../../services/registry/index.ts';
import { Audit } from '../../../foundation/audit/index.ts';
import { RunAnnouncer } from '../run-announcer.service.ts';
import { putLinks } from '../start/links.store.ts';
import { METRICS } from '../metrics.ts';
import type { Reader } from '../present.ts';
import { RunReader } from '../run-reader.service.ts';
import { lockUploaded, takeUploaded } from '../files/run-files.store.ts';
import { RunLocks, type FindRun, type LockedRun } from '../run-locks.service.ts';
import type { AnswerRow, PartyRow, PlayedRun, RunRow } from '../run-row.ts';
import { putTurn } from '../runs.store.ts';
import { SharedAnswers, type FileCopies } from './shared-answers.service.ts';
import { checkTurn, questionsOf, referredFile, type Turn } from './turn-checks.ts';

const OUTCOMES = { 'next node': 'next_node', 'data leaf': 'data_leaf', 'document leaf': 'document_leaf' } as const;
type Signal = keyof typeof OUTCOMES;
interface TakenTurn {
  shown: Run | CustomerRun;
  signal: Signal;
}

/** Rolls a turn back that ends a run which may share files: they have to be copied outside of a transaction. Most runs have no files. */
class CopiesNeeded extends Error {
  constructor(readonly run: RunRow) {
    super('files have to be copied before');
  }
}
const NO_COPIES: FileCopies = new Map();

/** Takes turns of runs of companies that live here. The server neither reads an answer nor chooses the way. @spec D2-1 @spec D2-3 */
@Injectable()
export class RunTurns {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly locking: RunLocks,
    private readonly reading: RunReader,
    private readonly view: FieldTypesView,
    private readonly shared: SharedAnswers,
    private readonly announcing: RunAnnouncer,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Takes a turn. When two callers take the same turn, the second is refused. Returns the run as its caller reads it after the turn. */
  async take(find: FindRun, by: Reader, given: SentTurn, withinMs = Infinity): Promise<Run | CustomerRun> {
    const deadline = performance.now() + withinMs;
    const attempt = (copies?: FileCopies) =>
      this.locking.locked(find, deadline - performance.now(), (tx, locked) => this.takeLocked(tx, locked, { by, given, copies }));
    const { signal, shown } = await attempt().catch((error: unknown) => {
      if (!(error instanceof CopiesNeeded)) throw error;
      return this.shared.withFiles(error.run, given, deadline, attempt);
    });
    count(METRICS.turns, { 'codase.outcome': OUTCOMES[signal] });
    if (shown.status === 'completed') count(METRICS.ended, { 'codase.outcome': 'completed' });
    return shown;
  }

  private async takeLocked(
    tx: EntityManager,
    locked: LockedRun,
    { by, given: { answers, next_node, leaf }, copies }: { by: Reader; given: SentTurn; copies: FileCopies | undefined },
  ): Promise<TakenTurn> {
    const referred = referredFiles(answers);
    const files = referred.length > 0 ? await lockUploaded(tx, locked.run.run_id, referred) : [];
    const turn: Turn = {
      ...locked,
      by,
      answers,
      next_node,
      leaf,
      isBinary: (type) => this.view.types.isBinary(type),
      files: new Map(files.map(({ file_id, ...file }) => [file_id, file])),
    };
    const party = checkTurn(turn);
    if (files.length > 0)
      currentStatement()?.checkFiles(Object.fromEntries(files.map(({ file_id, served_sha256 }) => [file_id, served_sha256 ?? ''])));
    if (leaf && !copies && this.shared.mayShareFiles(locked.definition)) throw new CopiesNeeded(locked.run);
    return this.takeIn(tx, turn, party, { ...locked, copies: copies ?? NO_COPIES });
  }

  /** Sends statements that do not depend on each other together. They are executed in this order. */
  private async takeIn(
    tx: EntityManager,
    turn: Turn,
    party: PartyRow,
    { connections, service_key, copies }: LockedRun & { copies: FileCopies },
  ): Promise<TakenTurn> {
    const now = this.clock.now();
    const signal = signalOf(turn);
    const { next, also } = move(RUN, 'awaiting', signal)!;
    const awaited = next === 'awaiting' ? partyAt(turn, turn.next_node!) : undefined;
    const run: RunRow = {
      ...turn.run,
      status: awaited ? awaiting(awaited.party_key) : (next as RunRow['status']),
      current_node: awaited ? turn.next_node! : next === 'completed' ? null : turn.run.current_node,
      last_party: party.party_key,
      private_slugs: privateSlugs(turn),
    };
    const played: PlayedRun = { run, parties: turn.parties, definition: turn.definition };
    const effects: Partial<Record<RunEffect, () => Promise<void>>> = {
      'share answers': () => this.shared.share(tx, played, connections, copies),
      'announce turn': () => this.announcing.announceTurn(tx, played, awaited!, now),
      'announce completed': () => this.announcing.announceCompleted(tx, played, now),
    };
    const answers = storeTurn(tx, run, { answers: copiesIn(turn), reader: turn.by.user_id, now });
    const [, , shown] = await together([
      answers,
      putReferred(tx, turn, party, now),
      this.reading.forReader(tx, played, turn.by, { service_key, answers }),
      inTurn(also.map((effect) => effects[effect]!)),
      this.record(tx, run, turn.by),
    ]);
    return { shown, signal };
  }

  /** Records a customer's turn. Those of the company are taken by its own clients, and are no acts of persons. */
  private async record(tx: EntityManager, { company_user_id: account_id, run_id: object }: RunRow, { user_id, connection_id }: Reader) {
    if (connection_id === null) return;
    await this.audit.record(tx, { act: 'flow_run.answered', account_id, object, initiator: user_id });
  }
}

/** Stores a turn, unless the run would be too long to be read. A turn without answers is taken however long the run is. */
async function storeTurn(tx: EntityManager, run: RunRow, turn: Parameters<typeof putTurn>[2]): Promise<AnswerRow[]> {
  const { answers, bytes } = await putTurn(tx, run, turn);
  if (bytes <= RUN_ANSWER_BYTES || turn.answers.length === 0) return answers;
  throw new Refusal('request.too_large').because(`With these answers the run holds more than ${RUN_ANSWER_BYTES} bytes for one party`);
}

/** Marks the files that answers name, and stores the links from the profile of the customer who answers. */
async function putReferred(tx: EntityManager, turn: Turn, { connection_id }: PartyRow, now: Date): Promise<void> {
  const [files, links] = [referredFiles(turn.answers), linksIn(turn)];
  if (files.length > 0) await takeUploaded(tx, turn.run.run_id, files);
  if (links.length > 0 && connection_id !== null) await putLinks(tx, turn.run, connection_id, links, now);
}

async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps) await step();
}

const signalOf = ({ leaf, definition }: Turn): Signal => {
  if (!leaf) return 'next node';
  return definition.output_mode === 'document' ? 'document leaf' : 'data leaf';
};

/** Returns the party whose turn it is at a node. */
const partyAt = ({ definition, parties }: PlayedRun, key: string): PartyRow => {
  const node = definition.nodes.find((one) => one.key === key)!;
  return parties.find(({ party_key }) => party_key === node.party)!;
};

const copiesIn = ({ answers }: Turn): AnswerRow[] =>
  answers.flatMap(({ slug, values, source_private, verification }) =>
    values.map(({ for_user_id, value }) => ({ slug, for_user_id, value, source_private, verification })),
  );

const referredFiles = (answers: Turn['answers']): string[] =>
  answers.flatMap(({ values }) => values.flatMap(({ value }) => referredFile(value)?._enc_file ?? []));

/** Returns the files that are linked from profile fields of the customer who answers. @spec D2-2.2 */
const linksIn = (turn: Turn) =>
  turn.answers.flatMap(({ slug, source_field, values }) => {
    const question = questionsOf(turn).find((one) => one.slug === slug);
    const isLinked = values.some(({ value }) => referredFile(value)?._link === 1);
    return isLinked && source_field !== undefined && question?.kind === 'field' ? [{ slug, type: question.type, source_field }] : [];
  });

/** Returns the slugs of private answers, sorted, each once. A new answer to the same question decides anew. @spec D2-2.2 */
function privateSlugs({ run, answers }: Turn): string[] {
  const slugs = new Set(run.private_slugs);
  for (const { slug, source_private } of answers) slugs[source_private ? 'add' : 'delete'](slug);
  return [...slugs].sort();
}
