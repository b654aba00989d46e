import { Injectable } from '@nestjs/common';
import { Refusal, type Generated, type RUN_SUBJECTS } from '@codase/contracts';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { Home } from '../../../foundation/regions/index.ts';
import { finderOfCustomer, type CustomersRun } from '../find-run.store.ts';
import { CustomerRuns } from '../customer/customer-runs.service.ts';
import { countPieces } from '../files/run-contents.store.ts';
import { RunLocking } from '../run-locking.service.ts';
import type { UploadedFile } from '../files/run-uploads.service.ts';
import { DocumentGeneration } from './generation.service.ts';
import { GenerationInputs } from './inputs.service.ts';

type Subjects = typeof RUN_SUBJECTS;

/** Generation by customers, of this region or another, for runs of companies that live here. @spec D2-4.4 */
@Injectable()
export class CustomerGeneration {
  constructor(
    private readonly home: Home,
    private readonly runs: CustomerRuns,
    private readonly locking: RunLocking,
    private readonly inputs: GenerationInputs,
    private readonly generation: DocumentGeneration,
  ) {}

  /** Adds an upload as an input. The file is still the customer's, so the customer too has to stay at home until the transaction ends. */
  async uploadInput(request: CustomersRun, source_key: string, uploaded: UploadedFile): Promise<{ input: string }> {
    await this.runs.checkConnection(request);
    return this.locking.locked(finderOfCustomer(request), Infinity, async (tx, locked) => {
      await this.home.remains(tx, request.user_id);
      return this.inputs.add(tx, locked, request, source_key, uploaded);
    });
  }

  /** Adds an input that has arrived from another region. For a repeated request the input is there already. */
  async storeInput(
    { source_key, content, ...request }: MessageOf<Subjects['storeInput']>,
    withinMs = Infinity,
  ): Promise<{ input: string }> {
    const { file, pieces, chars, served_sha256 } = content;
    await this.runs.checkConnection(request);
    const known = await this.inputs.list(request.run_id, request.user_id);
    if (known.some(({ input_id }) => input_id === file)) return { input: file };
    return this.locking.locked(finderOfCustomer(request), withinMs, async (tx, locked) => {
      if ((await countPieces(tx, file)) !== pieces)
        throw new Refusal('service.unavailable').because('Not all of it has come: send it again');
      return this.inputs.add(tx, locked, request, source_key, { owner_id: file, chars, served_sha256, piece_key: null });
    });
  }

  async generate({ generation, ...request }: MessageOf<Subjects['generate']>, withinMs?: number): Promise<Generated> {
    await this.runs.checkConnection(request);
    return this.generation.generate(finderOfCustomer(request), request, generation, withinMs);
  }
}
