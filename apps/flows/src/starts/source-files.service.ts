import { Injectable } from '@nestjs/common';
import { connections, Refusal, runs, type Connection, type Sealed, UPLOAD_BODY_BYTES } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import type { RequiredFile } from '@codase/domain/flow-language';
import { FilePermits } from '../runs/file-permits.service.ts';
import { Platform } from '../runs/platform.service.ts';

/** A staged copy of a customer's file, as a start of a run names it. */
interface StagedCopy {
  source_key: string;
  for_user_id: string;
  file: string;
}
/** The connection and request field that have the file of a source. */
interface SourceLocation {
  connection: Pick<Connection, 'id'> & { fields: { slug: string; service_field_id: string }[] };
  request_slug: string;
}
interface Sources {
  locationOf(source_key: string): SourceLocation;
  keyOf(user: string): Promise<string>;
}

/** Stages the files that customers shared for a flow's documents: each is opened and sealed anew, for every bound user. @spec D2-4.1 */
@Injectable()
export class SourceFilesService {
  constructor(
    private readonly platform: Platform,
    private readonly permits: FilePermits,
  ) {}

  /** Stages the files of a start when its turn comes. A start without files waits for no turn. */
  async stage(service: string, flowId: string, required: readonly RequiredFile[], from: Sources): Promise<StagedCopy[]> {
    return required.length === 0 ? [] : this.permits.run(service, () => this.stageAll(service, flowId, required, from));
  }

  /** Stages one file after the other. A file that has expired counts as not shared. */
  private async stageAll(
    service: string,
    flowId: string,
    required: readonly RequiredFile[],
    { locationOf, keyOf }: Sources,
  ): Promise<StagedCopy[]> {
    const staged: StagedCopy[] = [];
    for (const source_key of new Set(required.map((file) => file.source_key))) {
      const envelope = await this.read(service, locationOf(source_key)).catch(noneWhenExpired);
      if (envelope === undefined) continue;
      for (const { for_user_id, source_user_id } of required.filter((file) => file.source_key === source_key)) {
        const value = (await sealValue(await importValuePublicKey(await keyOf(for_user_id)), envelope)) as Sealed;
        const request = { params: { flowId }, body: { source_user_id, value } };
        const { file } = await this.platform.of(service).send(runs.stageRunFile, request, value.length);
        staged.push({ source_key, for_user_id, file });
      }
    }
    return staged;
  }

  /** Returns the envelope of a file, which the platform answers in one of three shapes. @spec D1-2.8 */
  private async read(service: string, { connection, request_slug }: SourceLocation): Promise<string> {
    const field = connection.fields.find(({ slug }) => slug === request_slug);
    if (!field) throw new Refusal('company_data.file_not_found');
    const platform = this.platform.of(service);
    const params = { connectionId: connection.id, serviceFieldId: field.service_field_id };
    const answer = await platform.fetchFile(connections.readSlotFile, { params }, UPLOAD_BODY_BYTES);
    if ('bytes' in answer) return envelopeOf(request_slug, answer);
    return answer.encrypted ? (await platform.opener.open({ value: answer.value })).plaintext : answer.value;
  }
}

const noneWhenExpired = (error: unknown): undefined => {
  if (!(error instanceof Refusal && error.key === 'company_data.file_expired')) throw error;
};

const envelopeOf = (name: string, { content_type, bytes }: { content_type: string; bytes: Uint8Array }): string =>
  JSON.stringify({
    file: `data:${content_type};base64,${Buffer.from(bytes).toString('base64')}`,
    original_name: name,
    mime_type: content_type,
    size: bytes.length,
  });
