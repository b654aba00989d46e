import { Inject, Injectable } from '@nestjs/common';
import type { CustomerRun, FlowDefinition, Run } from '@cds/contracts';
import { connectionSources, type Definition } from '@cds/domain/flow-language';
import type { Db } from '@cds/runtime/db';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { findService } from '../services/index.ts';
import { presentCustomerRun, presentRun, type OwnCopies, type Reader } from './present.ts';
import { listSources } from './run-files.store.ts';
import type { AnswerRow, PartyRow, PlayedRun, RunRow } from './run-row.ts';
import { findDefinition, findTagValues, listAnswers, listParties } from './runs.store.ts';
import { showsCustomers } from './start-checks.ts';

/** Definitions that are kept in memory; runs of one version share one, and it never changes. */
const MOST_DEFINITIONS = 200;

/** Runs of companies that live here, as each kind of reader gets them. @spec D2-2.2 */
@Injectable()
export class RunReading {
  private readonly definitions = new Map<string, FlowDefinition>();

  constructor(@Inject(REGION_DB) private readonly db: DataSource) {}

  /** The parties of a run never change: whoever has read them gives them. */
  async played(db: Db, run: RunRow, parties?: PartyRow[]): Promise<PlayedRun> {
    return { run, parties: parties ?? (await listParties(db, run.run_id)), definition: await this.definitionOf(db, run) };
  }

  /** As the owner reads it, by a service client or its automation. */
  async forOwner(run: RunRow): Promise<Run> {
    const reader = { user_id: run.company_user_id, connection_id: null };
    return this.forReader(this.db, await this.played(this.db, run), reader, { service_key: null });
  }

  /** As a customer reads it. */
  async forCustomer(run: RunRow, reader: Reader): Promise<CustomerRun> {
    const { public_key } = await findService(this.db, run);
    return (await this.forReader(this.db, await this.played(this.db, run), reader, { service_key: public_key })) as CustomerRun;
  }

  /** As whoever takes part in it reads it: a customer, by a connection, gets the keys of its parties too. */
  async forReader(db: Db, played: PlayedRun, reader: Reader, { service_key, answers }: KnownOfRun): Promise<Run | CustomerRun> {
    const copies = await copiesOf(db, played, reader, answers);
    return reader.connection_id === null ? presentRun(played, reader, copies) : presentCustomerRun(played, reader, copies, service_key);
  }

  async definitionOf(db: Db, { definition_id }: RunRow): Promise<FlowDefinition> {
    const known = this.definitions.get(definition_id);
    if (known) return known;
    const definition = await findDefinition(db, definition_id);
    if (this.definitions.size >= MOST_DEFINITIONS) this.definitions.delete(this.definitions.keys().next().value!);
    this.definitions.set(definition_id, definition);
    return definition;
  }
}

/** What is known of a run beside itself. */
interface KnownOfRun {
  service_key: string | null;
  /** The copies of its reader, where they have been read. */
  answers?: Promise<AnswerRow[]>;
}

/**
 * After the data was deleted there is none of it, for anybody. What the definition says that no run of it has is not looked for: each look
 * costs a turn as much as a row that it writes. @spec D2-8
 */
async function copiesOf(
  db: Db,
  { run: { run_id }, definition }: PlayedRun,
  { user_id }: Reader,
  answers: KnownOfRun['answers'],
): Promise<OwnCopies> {
  const { hasTags, hasSources } = compiledIn(definition);
  return {
    answers: await (answers ?? listAnswers(db, run_id, user_id)),
    tag_values: hasTags ? await findTagValues(db, run_id, user_id) : undefined,
    source_files: hasSources ? await listSources(db, run_id, user_id) : [],
  };
}

interface Compiled {
  hasTags: boolean;
  hasSources: boolean;
}
const compiled = new WeakMap<FlowDefinition, Compiled>();

/** Whether runs of a definition have values and files of customers that were compiled at their start. @spec D2-4.1 */
function compiledIn(definition: FlowDefinition): Compiled {
  const known = compiled.get(definition);
  if (known) return known;
  const found = { hasTags: showsCustomers(definition), hasSources: connectionSources(definition as Definition).length > 0 };
  compiled.set(definition, found);
  return found;
}
