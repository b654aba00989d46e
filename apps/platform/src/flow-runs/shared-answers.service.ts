import { Inject, Injectable } from '@nestjs/common';
import type { SentTurn } from '@cds/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { ConnectionOperations, type ConnectionRow, type GatheredAnswer } from '../connections/index.ts';
import { REGION_DB } from '../databases.ts';
import { listRequestFields } from '../services/index.ts';
import { RunReading } from './reading.service.ts';
import { RunFiles } from './run-files.service.ts';
import { listUploaded } from './run-files.store.ts';
import type { AnswerRow, PlayedRun, RunRow } from './run-row.ts';
import { listAnswers } from './runs.store.ts';
import { referredFile } from './turn-checks.ts';

/** The texts of files by their names. */
export type FileTexts = ReadonlyMap<string, string>;

/** At the end of a flow without documents, what each customer answered becomes values of the request. @spec D2-1 @spec D2-3 */
@Injectable()
export class SharedAnswers {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly reading: RunReading,
    private readonly files: RunFiles,
    private readonly connections: ConnectionOperations,
  ) {}

  /** Files that would be shared with this turn, read before its transaction: they may rest elsewhere. */
  async filesOf(run: RunRow, { answers, leaf }: SentTurn): Promise<FileTexts> {
    const texts = new Map<string, string>();
    if (!leaf || (await this.reading.played(this.db, run)).definition.output_mode === 'document') return texts;
    const asked = new Set((await listRequestFields(this.db, run)).map(({ slug }) => slug));
    const given = answers.flatMap(({ slug, values }) => values.map((copy) => ({ slug, ...copy })));
    const own = [...(await listAnswers(this.db, run.run_id, run.company_user_id)), ...given]
      .filter(({ slug, for_user_id }) => asked.has(slug) && for_user_id === run.company_user_id)
      .flatMap(({ value }) => referredFile(value)?._enc_file ?? []);
    for (const { file_id } of await listUploaded(this.db, run.run_id, own)) texts.set(file_id, await this.files.textOf(this.db, file_id));
    return texts;
  }

  /** The copies that are sealed to the service, on the connection of whoever gave them. The connections are locked. */
  async share(
    tx: EntityManager,
    { run, parties, definition }: PlayedRun,
    connections: readonly ConnectionRow[],
    files: FileTexts,
  ): Promise<void> {
    const answers = await listAnswers(tx, run.run_id, run.company_user_id);
    for (const connection of connections) {
      const own = parties.filter(({ connection_id }) => connection_id === connection.connection_id).map(({ party_key }) => party_key);
      const elements = definition.nodes.filter(({ party }) => own.includes(party)).flatMap((node) => node.elements);
      const gathered = elements.flatMap((element) => {
        const answer = element.kind === 'field' ? answers.find(({ slug }) => slug === element.slug) : undefined;
        return element.kind === 'field' && answer ? gatheredOf(element, answer, files) : [];
      });
      await this.connections.takeGathered(tx, connection, gathered);
    }
  }
}

/** A file is shared with its content, which is sealed like that of a private source. */
function gatheredOf({ slug, type }: { slug: string; type: string }, answer: AnswerRow, files: FileTexts): GatheredAnswer[] {
  const { value, source_private, verification } = answer;
  const file = referredFile(value);
  if (!file) return [{ slug, type, value, source_private, verification }];
  const text = files.get(file._enc_file);
  return text === undefined ? [] : [{ slug, type, value: text, source_private: true, verification }];
}
