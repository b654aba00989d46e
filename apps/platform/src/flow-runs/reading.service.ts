import { Inject, Injectable } from '@nestjs/common';
import type { CustomerRun, FlowDefinition, Run } from '@cds/contracts';
import type { Db } from '@cds/runtime/db';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { findService } from '../services/index.ts';
import { presentCustomerRun, presentRun, type OwnCopies, type Reader } from './present.ts';
import { listSources } from './run-files.store.ts';
import type { PlayedRun, RunRow } from './run-row.ts';
import { findDefinition, findTagValues, listAnswers, listParties } from './runs.store.ts';

/** Definitions that are kept in memory; runs of one version share one, and it never changes. */
const MOST_DEFINITIONS = 200;

/** Runs of companies that live here, as each kind of reader gets them. @spec D2-2.2 */
@Injectable()
export class RunReading {
  private readonly definitions = new Map<string, FlowDefinition>();

  constructor(@Inject(REGION_DB) private readonly db: DataSource) {}

  async played(db: Db, run: RunRow): Promise<PlayedRun> {
    return { run, parties: await listParties(db, run.run_id), definition: await this.definitionOf(db, run) };
  }

  /** As the owner reads it, by a service client or its automation. */
  async forOwner(run: RunRow, db: Db = this.db): Promise<Run> {
    const reader = { user_id: run.company_user_id, connection_id: null };
    return presentRun(await this.played(db, run), reader, await copiesOf(db, run, reader));
  }

  /** As a customer reads it. */
  async forCustomer(run: RunRow, reader: Reader, db: Db = this.db): Promise<CustomerRun> {
    const service = await findService(db, run);
    return presentCustomerRun(await this.played(db, run), reader, await copiesOf(db, run, reader), service.public_key);
  }

  private async definitionOf(db: Db, { definition_id }: RunRow): Promise<FlowDefinition> {
    const known = this.definitions.get(definition_id);
    if (known) return known;
    const definition = await findDefinition(db, definition_id);
    if (this.definitions.size >= MOST_DEFINITIONS) this.definitions.delete(this.definitions.keys().next().value!);
    this.definitions.set(definition_id, definition);
    return definition;
  }
}

/** After the data was deleted there is none of it, for anybody. @spec D2-8 */
async function copiesOf(db: Db, { run_id }: RunRow, { user_id }: Reader): Promise<OwnCopies> {
  return {
    answers: await listAnswers(db, run_id, user_id),
    tag_values: await findTagValues(db, run_id, user_id),
    source_files: await listSources(db, run_id, user_id),
  };
}
