import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CompanyDocument, type Generated, type Generation, type GenerationInput } from '@codase/contracts';
import type { StreamedString } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import {
  ContentReader,
  countAct,
  DocumentContents,
  readCopies,
  type Act,
  type ActOptions,
  type RunDocument,
} from '../../documents/index.ts';
import { servedSealed } from '../../../storage/files/index.ts';
import { finderOf, ownerOf, type OwnRun } from '../find-run.store.ts';
import { RunLocks } from '../run-locks.service.ts';
import { RunUploads } from '../files/run-uploads.service.ts';
import { DocumentGeneration } from './document-generation.service.ts';
import { GenerationInputs } from './generation-inputs.service.ts';
import { RunSigner } from './run-signer.service.ts';

/** What the owner does about the documents of a run, by the client of the service or by automation. @spec D2-4.3 @spec D2-4.4 */
@Injectable()
export class OwnerDocuments {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly generation: DocumentGeneration,
    private readonly inputs: GenerationInputs,
    private readonly signing: RunSigner,
    private readonly locking: RunLocks,
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
    const [copy] = await this.ownCopies(wanted, output_key);
    const content = copy && (await this.contents.ofReader(this.db, copy.document_id, 'company'));
    if (!content) throw new Refusal('flows.no_document');
    return servedSealed(content.served_sha256!, await this.payloads.read(content), content.served_bytes);
  }

  /** Signs, accepts or declines the company's own copy of an output. @spec D2-3 @gap D2-4.3 */
  async act(wanted: OwnRun, { output_key, party_key }: OwnCopy, act: Act, file?: ActOptions['file']): Promise<CompanyDocument> {
    const copy = copyOf(await this.ownCopies(wanted, output_key), party_key);
    const acted = await this.signing.act(copy, act, { file });
    if (!acted) throw new Refusal('documents.transition_invalid').because('The run is over');
    countAct(act);
    return acted;
  }

  /** Returns the company's own copies of an output: one for each party that it plays. */
  private async ownCopies(wanted: OwnRun, output_key: string): Promise<RunDocument[]> {
    const run = await finderOf(wanted).read(this.db);
    if (!run) throw new Refusal('flows.run_not_found');
    const copies = await readCopies(this.db, run.run_id);
    return copies.filter((copy) => copy.connection_id === null && copy.output_key === output_key);
  }
}

/** The copy of a company on which it acts. */
interface OwnCopy {
  output_key: string;
  /** The party for which the company acts, where it plays several. */
  party_key: string | undefined;
}

/** Returns the copy on which a company acts. It names one of several parties: a repeated call must not act for the next one. */
function copyOf(own: readonly RunDocument[], party_key: string | undefined): RunDocument {
  const named = party_key === undefined ? own : own.filter((copy) => copy.party_key === party_key);
  const acting = named.filter(({ position }) => position !== null);
  if (acting.length > 1)
    throw new Refusal('request.invalid').because('party_key: must name the party that acts, since the company plays several');
  const found = acting[0] ?? named[0];
  if (!found) throw new Refusal('flows.no_document');
  return found;
}
