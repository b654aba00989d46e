import { Injectable } from '@nestjs/common';
import { RUN_SUBJECTS, type customerRuns, type GenerationInput, type Input, type RawFile } from '@codase/contracts';
import type { StreamedString } from '@codase/runtime/http';
import { Peers, type PeerReply, type PeerRequest } from '../../../foundation/peers/index.ts';
import { CONNECTION_SEARCH } from '../../../sharing/connections/index.ts';
import { readInMemory } from '../../../kit/answer-memory.service.ts';
import { RunFiles } from '../files/run-files.service.ts';
import { RunUploads, type UploadedFile } from '../files/run-uploads.service.ts';
import type { CustomersRun } from '../find-run.store.ts';
import { askUntilAnswered, ContentHomes, NAMING_MS } from '../files/content-homes.service.ts';
import { CustomerRuns } from './customer-runs.service.ts';

type Answer = Input<typeof customerRuns.uploadCustomerAnswerFile>['body'];

/** A request that names a file whose pieces were sent before. */
type Naming = typeof RUN_SUBJECTS.storeFile | typeof RUN_SUBJECTS.storeInput;

/** The files of runs that customers at home here send and read, in whichever region the run's company lives. @spec D2-4.1 @gap D1-1 */
@Injectable()
export class CustomerFiles {
  constructor(
    private readonly peers: Peers,
    private readonly runs: CustomerRuns,
    private readonly files: RunFiles,
    private readonly uploads: RunUploads,
    private readonly homes: ContentHomes,
  ) {}

  uploadAnswer(run: CustomersRun, { value, ...answered }: Answer, streamed?: StreamedString): Promise<{ file: string }> {
    return this.upload(RUN_SUBJECTS.storeFile, { ...run, ...answered }, { value, streamed }, (uploaded) =>
      this.runs.upload(run, answered, uploaded),
    );
  }

  uploadInput(run: CustomersRun, { source_key, value }: GenerationInput, streamed?: StreamedString): Promise<{ input: string }> {
    return this.upload(RUN_SUBJECTS.storeInput, { ...run, source_key }, { value, streamed }, (uploaded) =>
      this.runs.uploadInput(run, source_key, uploaded),
    );
  }

  /** Stores a file here first, then adds it to a run of this region, or sends it to the region of the run and names it there. */
  private upload<S extends Naming>(
    subject: S,
    named: Omit<PeerRequest<S>, 'content'> & CustomersRun,
    file: { value: string; streamed: StreamedString | undefined },
    addHere: (uploaded: UploadedFile) => Promise<PeerReply<S>>,
  ): Promise<PeerReply<S>> {
    return this.uploads.with({ user_id: named.user_id, ...file }, (uploaded) =>
      this.peers.search(subject, named, CONNECTION_SEARCH, (region) =>
        region === this.peers.region ? addHere(uploaded) : this.uploadElsewhere(region, subject, named, uploaded),
      ),
    );
  }

  /** Reads the run first, so that no file is sent to a region that does not have the run. */
  private async uploadElsewhere<S extends Naming>(
    region: string,
    subject: S,
    named: Omit<PeerRequest<S>, 'content'> & CustomersRun,
    uploaded: UploadedFile,
  ): Promise<PeerReply<S>> {
    const { user_id, connection_id, run_id } = named;
    const { company_user_id } = await this.peers.call(RUN_SUBJECTS.read, region, { user_id, connection_id, run_id });
    const content = await this.homes.send(region, uploaded, { user_id: company_user_id, company_user_id });
    const request = { ...named, content } as unknown as PeerRequest<S>;
    const stored = await askUntilAnswered(() => this.peers.call(subject, region, request), NAMING_MS);
    await this.uploads.abandon(uploaded);
    return stored;
  }

  /** Reads a file: one that the customer shared rests here, one of an answer in the region of the run. @spec D2-4.1 */
  async read(run: CustomersRun, file: string) {
    const wanted = { ...run, file };
    const { region, source_user_id } = await this.peers.search(RUN_SUBJECTS.file, wanted, CONNECTION_SEARCH, async (where) => ({
      ...(await this.peers.call(RUN_SUBJECTS.file, where, wanted)),
      region: where,
    }));
    if (region === this.peers.region || source_user_id !== null) return this.files.read({ file_id: file, source_user_id });
    return this.homes.readPieces((position) => this.peers.call(RUN_SUBJECTS.piece, region, { ...wanted, position }));
  }

  /** Reads an image in the region of the company, which published it. @gap D2-2.6 */
  image(run: CustomersRun, asset_key: string): Promise<RawFile> {
    const wanted = { ...run, asset_key };
    return this.peers.search(RUN_SUBJECTS.image, wanted, CONNECTION_SEARCH, async (region) => {
      if (region === this.peers.region) return this.runs.image(wanted);
      const ask = (position: number) => this.peers.call(RUN_SUBJECTS.image, region, { ...wanted, position });
      const { content_type, pieces, piece } = await ask(1);
      return readInMemory(run.user_id, pieces * piece.length, async () => {
        const parts = [Buffer.from(piece, 'base64')];
        for (let position = 2; position <= pieces; position++) parts.push(Buffer.from((await ask(position)).piece, 'base64'));
        return { content_type, bytes: Buffer.concat(parts) };
      });
    });
  }
}
