import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { FLOW_LIMITS, Refusal, type Finding, type Publication } from '@codase/contracts';
import { isPublishable, judging, type Definition, type Judged, type PublishInputs } from '@codase/domain/flow-language';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { inSlices } from '@codase/runtime/resilience';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import { Audit } from '../../foundation/audit/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { CompanyLevels } from '../../access/identity/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { FieldTypesView } from '../registry/index.ts';
import { listRequestFields, writeLog } from '../services/index.ts';
import { checkSize, findOwn, FlowDrafts, lockCurrent } from './flow-drafts.service.ts';
import { listFiles, shareFiles, type FlowFileRow } from './files.store.ts';
import type { DraftRow, OwnFlow } from './flow-row.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { METRICS } from './metrics.ts';
import { pluginsIn } from './plugins-in-draft.ts';
import { addVersion, findVersion } from './versions.store.ts';

/** Publishes drafts as versions, which never change. @spec D2-7 @spec D2-9 */
@Injectable()
export class FlowPublisher {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly levels: CompanyLevels,
    private readonly drafts: FlowDrafts,
    private readonly fieldTypes: FieldTypesView,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns all findings that publishing would give now. */
  validate(own: OwnFlow): Promise<{ findings: Finding[] }> {
    return this.db.transaction(async (tx) => {
      const { findings } = await this.judge(tx, await findOwn(tx, own));
      return { findings };
    });
  }

  /** Publishes the draft, unless it has an error. A draft with the same content as the published version makes no new version. */
  async publish(own: OwnFlow, draft_token: string): Promise<z.output<typeof Publication>> {
    await this.levels.require(own.company_user_id, 'pro', 'Contract flows');
    const { publication, isNew } = await this.home.write(own.company_user_id, (tx) => this.publishIn(tx, own, draft_token));
    if (isNew) count(METRICS.published);
    return publication;
  }

  private async publishIn(tx: EntityManager, own: OwnFlow, draft_token: string) {
    const flow = await lockCurrent(tx, own, draft_token);
    const { findings, definition } = await this.judge(tx, flow);
    if (!definition) return { publication: { published: false, version: null, findings }, isNew: false };
    checkSize(definition); // its plugins may have longer descriptions than when the draft was saved
    const written = JSON.stringify(definition);
    const files = filesIn(definition, await listFiles(tx, flow.flow_id, null));
    const digest = digestOf(written, files);
    const before = flow.published_version === null ? undefined : await findVersion(tx, flow.flow_id, flow.published_version);
    if (before?.digest === digest) return { publication: { published: true, version: before.version, findings }, isNew: false };
    const version = (flow.published_version ?? 0) + 1;
    if (version > FLOW_LIMITS.versions) throw new Refusal('flows.too_many').because('Copy the flow and go on with the copy');
    const now = this.clock.now();
    await addVersion(tx, { flow, version, definition: written, plugins: pluginsIn(definition), digest, now });
    await shareFiles(tx, flow, { ...flow, version }, files);
    const message = `Version ${version} of the flow ${flow.flow_id} was published`;
    await writeLog(tx, flow, { kind: LOG_KINDS.flow_published, message }, now);
    await this.audit.record(tx, { act: 'flow.published', account_id: flow.company_user_id, object: flow.flow_id });
    return { publication: { published: true, version, findings }, isNew: true };
  }

  /** Checks the draft against the current field types, request fields, plugins and files. */
  async judge(tx: EntityManager, flow: DraftRow): Promise<Judged> {
    const files = await listFiles(tx, flow.flow_id, null);
    const context: PublishInputs = {
      fieldTypes: this.fieldTypes.types,
      plugins: await this.drafts.describe(tx, flow.company_user_id, pluginsIn(flow.draft)),
      request_fields: await listRequestFields(tx, flow),
      templates: new Map(files.flatMap(({ kind, asset_key, tags }) => (kind === 'pdf' ? [[asset_key, tags]] : []))),
      images: new Set(files.flatMap(({ kind, asset_key }) => (kind === 'image' ? [asset_key] : []))),
    };
    const judged = await inSlices(judging(flow.draft, context));
    count(METRICS.judged, { 'codase.outcome': outcomeOf(judged.findings) });
    return judged;
  }
}

/** Returns the files that a definition uses: the images that it shows and the templates that it fills. */
function filesIn({ nodes }: Definition, files: readonly FlowFileRow[]): FlowFileRow[] {
  const used = new Set(
    nodes.flatMap(({ elements, output }) => [
      ...elements.flatMap((element) => (element.kind === 'image' ? [element.asset_key] : [])),
      ...(output?.documents ?? []).flatMap(({ rules }) => rules.flatMap(({ asset_key }) => asset_key ?? [])),
    ]),
  );
  return files.filter(({ asset_key }) => used.has(asset_key));
}

/** Returns the digest of a version. Two versions with the same digest have the same content. */
function digestOf(definition: string, files: readonly FlowFileRow[]): string {
  const digest = createHash('sha256').update(definition);
  for (const { asset_key, sha256 } of files) digest.update(` ${asset_key} ${sha256}`);
  return digest.digest('hex');
}

function outcomeOf(findings: readonly Finding[]): 'clean' | 'warnings' | 'errors' {
  if (findings.length === 0) return 'clean';
  return isPublishable(findings) ? 'warnings' : 'errors';
}
