import { Inject, Injectable } from '@nestjs/common';
import type { FlowDefinition, SentTurn } from '@codase/contracts';
import { PLUGIN } from '@codase/domain/field-types';
import type { DataSource, EntityManager } from 'typeorm';
import { ConnectionAnswers, type ConnectionRow, type GatheredAnswer } from '../../../sharing/connections/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { FieldTypesView } from '../../../services/registry/index.ts';
import { listRequestFields, type OwnRequestField } from '../../../services/services/index.ts';
import { RunFiles, type CopiedFile } from '../files/run-files.service.ts';
import { listUploaded } from '../files/run-files.store.ts';
import { checkDeadline } from '../run-locks.service.ts';
import type { AnswerRow, PlayedRun, RunRow } from '../run-row.ts';
import { listAnswers } from '../runs.store.ts';
import { referredFile } from './turn-checks.ts';

type Element = FlowDefinition['nodes'][number]['elements'][number];

/** Copies of files that are about to be shared, by the ids of the files. */
export type FileCopies = ReadonlyMap<string, CopiedFile>;

/** Makes the answers of each customer values of the request fields, at the end of a flow without documents. @spec D2-1 @spec D2-3 */
@Injectable()
export class SharedAnswers {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly files: RunFiles,
    private readonly connectionAnswers: ConnectionAnswers,
    private readonly view: FieldTypesView,
  ) {}

  /**
   * Does the work with copies of the files that the turn may share. They are made before its transaction, since the files may rest in the
   * object store. In the transaction they are copied from table to table. Afterwards they are deleted, whether the turn succeeded or not.
   * After the deadline no further file is copied, because the caller has left and sends the turn again.
   */
  async withFiles<T>(run: RunRow, turn: SentTurn, deadline: number, work: (files: FileCopies) => Promise<T>): Promise<T> {
    const copies = new Map<string, CopiedFile>();
    try {
      for (const file_id of await this.filesOf(run, turn)) {
        copies.set(file_id, await this.files.copy(run.company_user_id, file_id));
        checkDeadline(deadline);
      }
      return await work(copies);
    } finally {
      for (const copy of copies.values()) await copy.remove();
    }
  }

  /** Whether runs of a definition may share files when they end. */
  mayShareFiles({ nodes, output_mode }: FlowDefinition): boolean {
    const isFile = (one: Element) => one.kind === 'field' && this.view.types.isBinary(one.type);
    return output_mode !== 'document' && nodes.some(({ elements }) => elements.some(isFile));
  }

  private async filesOf(run: RunRow, { answers }: SentTurn): Promise<string[]> {
    const requestedSlugs = new Set((await listRequestFields(this.db, run)).map(({ slug }) => slug));
    const given = answers.flatMap(({ slug, values }) => values.map((copy) => ({ slug, ...copy })));
    const own = [...(await listAnswers(this.db, run.run_id, run.company_user_id)), ...given]
      .filter(({ slug, for_user_id }) => requestedSlugs.has(slug) && for_user_id === run.company_user_id)
      .flatMap(({ value }) => referredFile(value)?._enc_file ?? []);
    return (await listUploaded(this.db, run.run_id, own)).map(({ file_id }) => file_id);
  }

  /** Shares the copies that are sealed to the service, each on the connection of the customer who answered. The connections are locked. */
  async share(
    tx: EntityManager,
    { run, parties, definition }: PlayedRun,
    connections: readonly ConnectionRow[],
    files: FileCopies,
  ): Promise<void> {
    const rows = await listRequestFields(tx, run);
    const nodes = definition.nodes.map(({ party, elements }) => ({ party, questions: elements.flatMap((one) => questionsIn(rows, one)) }));
    if (nodes.every(({ questions }) => questions.length === 0)) return;
    const answers = await listAnswers(tx, run.run_id, run.company_user_id);
    for (const connection of connections) {
      const own = parties.filter(({ connection_id }) => connection_id === connection.connection_id).map(({ party_key }) => party_key);
      const gathered = nodes
        .flatMap(({ party, questions }) => (own.includes(party) ? questions : []))
        .flatMap((question) => {
          const answer = answers.find(({ slug }) => slug === question.slug);
          return answer ? gatheredOf(question, answer, files) : [];
        });
      await this.connectionAnswers.takeGathered(tx, connection, gathered);
    }
  }
}

/** A question of a flow that a request field asks too. */
interface Question {
  slug: string;
  type: string;
}

/**
 * Returns the question of an element, if a request field asks it too; none otherwise. The answer of a plugin goes only to a row of the same
 * plugin and field type, since answers of others have other blocks and outputs. @spec D1-2.6
 */
function questionsIn(rows: readonly OwnRequestField[], element: Element): Question[] {
  if (element.kind !== 'field' && element.kind !== 'plugin') return [];
  const row = rows.find(({ slug }) => slug === element.slug);
  if (!row) return [];
  if (element.kind === 'field') return [{ slug: element.slug, type: element.type }];
  const { plugin_id, field_type } = element.plugin;
  return row.plugin?.plugin_id === plugin_id && row.plugin.field_type === field_type ? [{ slug: element.slug, type: PLUGIN }] : [];
}

/** Returns the answer to share. A file is shared with its content, which is sealed like the content of a private source. */
function gatheredOf({ slug, type }: Question, answer: AnswerRow, files: FileCopies): GatheredAnswer[] {
  const { value, source_private, verification } = answer;
  const file = referredFile(value);
  if (!file) return [{ slug, type, value, source_private, verification }];
  const copy = files.get(file._enc_file);
  return copy ? [{ slug, type, value: copy, source_private: true, verification }] : [];
}
