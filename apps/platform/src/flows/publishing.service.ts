import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { FLOW_LIMITS, Refusal, type Finding, type Publication } from '@cds/contracts';
import { isPublishable, judgeDraft, type Judged } from '@cds/domain/flow-language';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import { Audit } from '../audit/index.ts';
import { REGION_DB } from '../databases.ts';
import { CompanyLevels } from '../identity/index.ts';
import { Home } from '../regions/index.ts';
import { FieldTypesView } from '../registry/index.ts';
import { holdService, listRequestFields, writeLog } from '../services/index.ts';
import { findOwn, FlowDrafts, lockCurrent } from './drafts.service.ts';
import type { DraftRow, OwnFlow } from './flow-row.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { METRICS } from './metrics.ts';
import { pluginsIn } from './plugins-in-draft.ts';
import { addVersion, findVersion } from './versions.store.ts';

/** Drafts become versions that never change. @spec D2-7 @spec D2-9 */
@Injectable()
export class FlowPublishing {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly levels: CompanyLevels,
    private readonly drafts: FlowDrafts,
    private readonly fieldTypes: FieldTypesView,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Everything that publishing would find now. */
  validate(own: OwnFlow): Promise<{ findings: Finding[] }> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const { findings } = await this.judge(tx, await findOwn(tx, own));
      return { findings };
    });
  }

  /** With an error nothing is published. A draft that says what the published version says makes no other version. */
  async publish(own: OwnFlow, draft_token: string): Promise<z.output<typeof Publication>> {
    await this.levels.require(own.company_user_id, 'pro', 'Contract flows');
    const { publication, isNew } = await this.home.write(own.company_user_id, (tx) => this.publishIn(tx, own, draft_token));
    if (isNew) count(METRICS.published);
    return publication;
  }

  private async publishIn(tx: EntityManager, own: OwnFlow, draft_token: string) {
    const flow = await lockCurrent(tx, own, draft_token);
    await holdService(tx, flow); // what it asks stays as it is until the transaction ends
    const { findings, definition } = await this.judge(tx, flow);
    if (!definition) return { publication: { published: false, version: null, findings }, isNew: false };
    const written = JSON.stringify(definition);
    const digest = createHash('sha256').update(written).digest('hex');
    const before = flow.published_version === null ? undefined : await findVersion(tx, flow.flow_id, flow.published_version);
    if (before?.digest === digest) return { publication: { published: true, version: before.version, findings }, isNew: false };
    const version = (flow.published_version ?? 0) + 1;
    if (version > FLOW_LIMITS.versions) throw new Refusal('flows.too_many').because('Copy the flow and go on with the copy');
    const now = this.clock.now();
    await addVersion(tx, { flow, version, definition: written, plugins: pluginsIn(definition), digest, now });
    const message = `Version ${version} of the flow ${flow.flow_id} was published`;
    await writeLog(tx, flow, { kind: LOG_KINDS.flow_published, message }, now);
    await this.audit.record(tx, { act: 'flow.published', account_id: flow.company_user_id, object: flow.flow_id });
    return { publication: { published: true, version, findings }, isNew: true };
  }

  /** By the types, the request and the plugins of now. */
  private async judge(tx: EntityManager, flow: DraftRow): Promise<Judged> {
    const judged = judgeDraft(flow.draft, {
      fieldTypes: this.fieldTypes.types,
      plugins: await this.drafts.describe(tx, flow.company_user_id, pluginsIn(flow.draft)),
      request_fields: await listRequestFields(tx, flow),
      templates: new Map(),
    });
    count(METRICS.judged, { 'cds.outcome': outcomeOf(judged.findings) });
    return judged;
  }
}

function outcomeOf(findings: readonly Finding[]): 'clean' | 'warnings' | 'errors' {
  if (findings.length === 0) return 'clean';
  return isPublishable(findings) ? 'warnings' : 'errors';
}
