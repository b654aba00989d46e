import { Injectable } from '@nestjs/common';
import { RUN_SUBJECTS, type Generated, type Generation, type GenerationInput } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { StreamedString } from '@codase/runtime/http';
import { movedMeanwhile, RegionRouter } from '../../../sharing/connections/index.ts';
import { askUntilAnswered } from '../turns/ask-until-answered.ts';
import { ContentHomes, NAMING_MS } from '../files/content-homes.service.ts';
import type { CustomersRun } from '../find-run.store.ts';
import { RunUploads, type UploadedFile } from '../files/run-uploads.service.ts';
import { CustomerGeneration } from './customer-generation.service.ts';
import { GENERATING_MS } from './generating.ts';

/** Generation by customers who are at home here, in whichever region the run's company lives. @spec D2-4.4 @gap D1-1 */
@Injectable()
export class HeldGeneration {
  constructor(
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly here: CustomerGeneration,
    private readonly uploads: RunUploads,
    private readonly homes: ContentHomes,
  ) {}

  /** Stores the input here first, then sends it to the region of the run. */
  uploadInput(asked: CustomersRun, { source_key, value }: GenerationInput, streamed?: StreamedString): Promise<{ input: string }> {
    return this.uploads.with({ user_id: asked.user_id, value, streamed }, (uploaded) =>
      this.writes(
        asked,
        () => this.here.uploadInput(asked, source_key, uploaded),
        (region) => this.uploadElsewhere(region, asked, source_key, uploaded),
      ),
    );
  }

  generate(asked: CustomersRun, generation: Generation): Promise<Generated> {
    return this.writes(
      asked,
      () => this.here.generate({ ...asked, generation }),
      (region) => this.bus.request(RUN_SUBJECTS.generate, { region }, { ...asked, generation }, { timeout: GENERATING_MS }),
    );
  }

  /** Reads the run first, so that no file is sent to a region that does not have the run. */
  private async uploadElsewhere(region: string, asked: CustomersRun, source_key: string, uploaded: UploadedFile) {
    const { company_user_id } = await this.bus.request(RUN_SUBJECTS.read, { region }, asked);
    const content = await this.homes.send(region, uploaded, { user_id: company_user_id, company_user_id });
    const named = { ...asked, source_key, content };
    const stored = await askUntilAnswered(() => this.bus.request(RUN_SUBJECTS.storeInput, { region }, named), NAMING_MS);
    await this.uploads.abandon(uploaded);
    return stored;
  }

  private writes<T>({ user_id }: CustomersRun, here: () => Promise<T>, there: (region: string) => Promise<T>): Promise<T> {
    return this.router.hereOrElsewhere(user_id, here, there).catch((error: unknown) => {
      throw movedMeanwhile(error, 'db.writes_paused');
    });
  }
}
