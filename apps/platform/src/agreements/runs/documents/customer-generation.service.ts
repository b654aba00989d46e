import { Injectable } from '@nestjs/common';
import { Refusal, RUN_SUBJECTS, type Generated, type GenerationInput } from '@codase/contracts';
import type { StreamedString } from '@codase/runtime/http';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { Handlers } from '../../../foundation/peers/index.ts';
import { Home } from '../../../foundation/regions/index.ts';
import { finderOfCustomer, type CustomersRun } from '../find-run.store.ts';
import { CustomerFiles } from '../customer/customer-files.service.ts';
import { CustomerRuns } from '../customer/customer-runs.service.ts';
import { countPieces } from '../files/run-contents.store.ts';
import { RunLocks } from '../run-locks.service.ts';
import { DocumentGeneration } from './document-generation.service.ts';
import { GenerationInputs } from './generation-inputs.service.ts';

type Subjects = typeof RUN_SUBJECTS;

/** Generation by customers: of this region in whichever region the run lives, and of other regions for runs that live here. @spec D2-4.4 */
@Injectable()
export class CustomerGeneration implements Handlers<Pick<Subjects, 'storeInput' | 'generate'>> {
  constructor(
    private readonly home: Home,
    private readonly runs: CustomerRuns,
    private readonly files: CustomerFiles,
    private readonly locking: RunLocks,
    private readonly inputs: GenerationInputs,
    private readonly generation: DocumentGeneration,
  ) {}

  /** Uploads an input. The file is still the customer's, so the customer too has to stay at home until the transaction ends. */
  uploadInput(request: CustomersRun, { source_key, value }: GenerationInput, streamed?: StreamedString): Promise<{ input: string }> {
    return this.files.upload(RUN_SUBJECTS.storeInput, { ...request, source_key }, { value, streamed }, async (uploaded) => {
      await this.runs.checkConnection(request);
      return this.locking.locked(finderOfCustomer(request), Infinity, async (tx, locked) => {
        await this.home.remains(tx, request.user_id);
        return this.inputs.add(tx, locked, request, source_key, uploaded);
      });
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
