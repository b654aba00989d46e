import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type flowAuthoring, type FlowPreview, type Input } from '@codase/contracts';
import { compileFlow } from '@codase/domain/flow-language';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { inSlices } from '@codase/runtime/resilience';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { FieldTypesView } from '../registry/index.ts';
import { findOwn } from './flow-drafts.service.ts';
import type { OwnFlow } from './flow-row.ts';
import { previewing } from './preview.ts';
import { FlowPublisher } from './flow-publisher.service.ts';

type Wanted = Input<typeof flowAuthoring.previewFlow>['body'];

/** Plays drafts without a run: nothing is stored, and no party is real. */
@Injectable()
export class FlowPreviews {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly publishing: FlowPublisher,
    private readonly fieldTypes: FieldTypesView,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Plays one step. Only a draft that could be published can be played, since a cycle would have no end. */
  async play(own: OwnFlow, wanted: Wanted): Promise<FlowPreview> {
    const { definition, findings } = await this.db.transaction(async (tx) => this.publishing.judge(tx, await findOwn(tx, own)));
    if (!definition) {
      const fault = findings.find(({ severity }) => severity === 'error')!;
      throw new Refusal('flows.definition_invalid').because(`The draft has errors, the first: ${fault.message}`);
    }
    const flow = compileFlow(definition, this.fieldTypes.types);
    const node = flow.node(wanted.node ?? definition.entry);
    if (!node) throw new Refusal('flows.definition_invalid').because('node: the draft has no such step');
    const { answers = {}, step = {}, tag_values = {}, language = null } = wanted;
    const reference_date = wanted.reference_date ?? this.clock.now().toISOString().slice(0, 10);
    return inSlices(previewing(flow, node, { answers, step, tag_values, reference_date, language }));
  }
}
