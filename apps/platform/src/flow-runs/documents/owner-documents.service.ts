import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CompanyDocument, type Generated, type Generation, type GenerationInput } from '@cds/contracts';
import type { StreamedString } from '@cds/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../databases.ts';
import { ContentReader, DocumentContents, readCopies, type Act, type ActOptions, type RunDocument } from '../../documents/index.ts';
import { servedSealed } from '../../files/index.ts';
import { finderOf, ownerOf, type OwnRun } from '../find-run.store.ts';
import { RunLocking } from '../run-locking.service.ts';
import { RunUploads } from '../run-uploads.service.ts';
import { DocumentGeneration } from './generation.service.ts';
import { GenerationInputs } from './inputs.service.ts';
import { RunSigning } from './signing.service.ts';

/**
 * What the owner does about the documents of a run, with the client of the service or with the automation of its company. @spec D2-4.3
 * @spec D2-4.4
 */
@Injectable()
export class OwnerDocuments {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly generation: DocumentGeneration,
    private readonly inputs: GenerationInputs,
    private readonly signing: RunSigning,
    private readonly locking: RunLocking,
    private readonly uploads: RunUploads,
    private readonly contents: DocumentContents,
    private readonly payloads: ContentReader,
  ) {}

  uploadInput(wanted: OwnRun, { source_key, value }: GenerationInput, streamed?: StreamedString): Promise<{ input: string }> {
    return this.uploads.with({ user_id: wanted.own.company_user_id, value, streamed }, (uploaded) =>
      this.locking.locked(finderOf(wanted), Infinity, (tx, locked) => this.inputs.add(tx, locked, ownerOf(wanted), source_key, uploaded)),
    );
  }

  generate(wanted: OwnRun, given: Generation): Promise<Generated> {
    return this.generation.generate(finderOf(wanted), ownerOf(wanted), given);
  }

  /** Reads the company's own copy of an output, which is sealed to the service key. @spec D2-4.3 */
  async file(wanted: OwnRun, output_key: string) {
    const { document_id } = await this.ownCopy(wanted, output_key);
    const content = await this.contents.ofReader(this.db, document_id, 'company');
    if (!content) throw new Refusal('flows.no_document');
    return servedSealed(content.served_sha256!, await this.payloads.read(content), content.served_bytes);
  }

  /** Signs, accepts or declines the company's own copy of an output. @spec D2-3 @gap D2-4.3 */
  async act(wanted: OwnRun, output_key: string, act: Act, file?: ActOptions['file']): Promise<CompanyDocument> {
    const acted = await this.signing.act(await this.ownCopy(wanted, output_key), act, { file });
    if (!acted) throw new Refusal('documents.transition_invalid').because('The run is over');
    return acted;
  }

  /** Finds the company's own copy of an output. A company that plays several parties has several: the one that is open comes first. */
  private async ownCopy(wanted: OwnRun, output_key: string): Promise<RunDocument> {
    const run = await finderOf(wanted).read(this.db);
    if (!run) throw new Refusal('flows.run_not_found');
    const copies = await readCopies(this.db, run.run_id);
    const own = copies.filter((copy) => copy.connection_id === null && copy.output_key === output_key);
    const found = own.find(({ status }) => status === 'ready_to_sign' || status === 'offering') ?? own[0];
    if (!found) throw new Refusal('flows.no_document');
    return found;
  }
}
