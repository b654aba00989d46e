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

type PreviewRequest = Input<typeof flowAuthoring.previewFlow>['body'];

/** Shows steps of a draft, with answers that its author made up. Nothing is stored, and nobody else is involved. */
@Injectable()
export class FlowPreviews {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly publisher: FlowPublisher,
    private readonly fieldTypes: FieldTypesView,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns one step as its party would see it. Refuses a draft with errors: a run could never have it. */
  async preview(own: OwnFlow, request: PreviewRequest): Promise<FlowPreview> {
    const { definition, findings } = await this.db.transaction(async (tx) => this.publisher.judge(tx, await findOwn(tx, own)));
    if (!definition) {
      const first = findings.find(({ severity }) => severity === 'error')!;
      throw new Refusal('flows.definition_invalid').because(`The draft has errors, the first: ${first.message}`);
    }
    const flow = compileFlow(definition, this.fieldTypes.types);
    const node = flow.node(request.node ?? definition.entry);
    if (!node) throw new Refusal('flows.definition_invalid').because('node: the draft has no such step');
    const { answers = {}, step = {}, tag_values = {}, language = null } = request;
    const reference_date = request.reference_date ?? this.clock.now().toISOString().slice(0, 10);
    return inSlices(previewing(flow, node, { answers, step, tag_values, reference_date, language }));
  }
}
