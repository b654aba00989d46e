import { Inject, Injectable } from '@nestjs/common';
import type { CustomerRun, FlowDefinition, Run } from '@codase/contracts';
import { phaseOf } from '@codase/domain';
import { connectionSources, type Definition } from '@codase/domain/flow-language';
import type { Db } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { listCopies } from '../documents/index.ts';
import { findService } from '../../services/services/index.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { DefinitionCache } from './definition-cache.ts';
import { presentCustomerRun, presentRun, type OwnCopies, type Reader } from './present.ts';
import { listSources } from './files/run-files.store.ts';
import type { AnswerRow, PartyRow, PlayedRun, RunRow } from './run-row.ts';
import { findDefinition, findTagValues, listAnswers, listParties } from './runs.store.ts';
import { showsCustomers } from './start/start-checks.ts';

/** Reads runs of companies that live here, as each kind of reader may see them. @spec D2-2.2 */
@Injectable()
export class RunReader {
  private readonly definitions = new DefinitionCache();

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly attestations: Attestations,
  ) {}

  /** Adds parties and definition to a run. A caller that has read the parties passes them, since they never change. */
  async played(db: Db, run: RunRow, parties?: PartyRow[]): Promise<PlayedRun> {
    return { run, parties: parties ?? (await listParties(db, run.run_id)), definition: await this.definitionOf(db, run) };
  }

  /** Returns a run as its owner reads it, by a service client or by automation. */
  async forOwner(run: RunRow): Promise<Run> {
    const reader = { user_id: run.company_user_id, connection_id: null };
    return this.forReader(this.db, await this.played(this.db, run), reader, { service_key: null });
  }

  /** Returns a run as a customer reads it. */
  async forCustomer(run: RunRow, reader: Reader): Promise<CustomerRun> {
    const { public_key } = await findService(this.db, run);
    return (await this.forReader(this.db, await this.played(this.db, run), reader, { service_key: public_key })) as CustomerRun;
  }

  /** Returns a run as one of its parties reads it. A customer, who reads it by a connection, also gets the keys of the parties. */
  async forReader(db: Db, played: PlayedRun, reader: Reader, { service_key, answers }: KnownOfRun): Promise<Run | CustomerRun> {
    const read = await copiesOf(db, played, reader, answers);
    const shown = read.answers.map((answer) => ({ ...answer, verification: this.attestations.shown(answer.verification) }));
    const copies = { ...read, answers: shown };
    return reader.connection_id === null ? presentRun(played, reader, copies) : presentCustomerRun(played, reader, copies, service_key);
  }

  async definitionOf(db: Db, { definition_id }: RunRow): Promise<FlowDefinition> {
    const known = this.definitions.get(definition_id);
    if (known) return known;
    const { definition, bytes } = await findDefinition(db, definition_id);
    this.definitions.put(definition_id, definition, bytes);
    return definition;
  }
}

/** What the caller already knows about a run. */
interface KnownOfRun {
  service_key: string | null;
  /** The reader's copies of the answers, when they have been read. */
  answers?: Promise<AnswerRow[]>;
}

/**
 * Reads the copies of one reader. After the data of the run was deleted there are none. Tag values and source files are read only when runs
 * of the definition can have them, since each query costs a turn as much as a row that it writes. @spec D2-8
 */
async function copiesOf(
  db: Db,
  { run: { run_id, status }, definition }: PlayedRun,
  { user_id }: Reader,
  answers: KnownOfRun['answers'],
): Promise<OwnCopies> {
  const { hasTags, hasSources } = compiledIn(definition);
  return {
    answers: await (answers ?? listAnswers(db, run_id, user_id)),
    tag_values: hasTags ? await findTagValues(db, run_id, user_id) : undefined,
    source_files: hasSources ? await listSources(db, run_id, user_id) : [],
    documents: mayHaveDocuments(definition, status) ? await listCopies(db, [run_id]) : [],
  };
}

/** Whether the documents of a run may have been generated: not as long as somebody answers. @spec D2-3 */
const mayHaveDocuments = ({ output_mode }: FlowDefinition, status: RunRow['status']): boolean =>
  output_mode === 'document' && !['awaiting', 'generating'].includes(phaseOf(status));

interface Compiled {
  hasTags: boolean;
  hasSources: boolean;
}
const compiled = new WeakMap<FlowDefinition, Compiled>();

/** Returns whether runs of a definition have tag values and source files of customers, which are given at the start. @spec D2-4.1 */
function compiledIn(definition: FlowDefinition): Compiled {
  const known = compiled.get(definition);
  if (known) return known;
  const found = { hasTags: showsCustomers(definition), hasSources: connectionSources(definition as Definition).length > 0 };
  compiled.set(definition, found);
  return found;
}
