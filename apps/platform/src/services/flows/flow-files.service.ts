import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createHash } from 'node:crypto';
import {
  FLOW_LIMITS,
  isDeclaredRaster,
  RASTER_HEAD_BYTES,
  rasterTypeOf,
  Refusal,
  TEMPLATE_MAX_MB,
  type flowAuthoring,
  type Input,
} from '@codase/contracts';
import { PdfProcesses, PdfProcessesBusy, PdfRefusal } from '@codase/pdf';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { FairSemaphore } from '@codase/runtime/resilience';
import { Audit } from '../../foundation/audit/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { lockOwn } from './flow-drafts.service.ts';
import { listFiles, putFile, removeFile, type FlowFileRow } from './files.store.ts';
import type { OwnFlow } from './flow-row.ts';
import { touchFlow } from './flows.store.ts';

type Envelope = Input<typeof flowAuthoring.putTemplate>['body'];

/** As many PDFs are read at once as there are processes, and those of one company one after the other. */
const TURNS = { total: 2, each: 1, queuedEach: 3, waitMs: 10_000 };
/** Finding tags needs far less time and memory; a PDF that needs more is no template. */
const LIMITS = { timeoutMs: 8000, memoryBytes: 256 * 1024 * 1024, heapBytes: 128 * 1024 * 1024 };

/** PDF templates and images that authors upload. They are the company's own, so they are stored in the clear. @spec D2-2.4 */
@Injectable()
export class FlowFiles implements OnApplicationShutdown {
  private readonly processes = new PdfProcesses({ size: TURNS.total, ...LIMITS });
  private readonly turns = new FairSemaphore(TURNS, () => new Refusal('service.overloaded'));

  constructor(
    private readonly home: Home,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores a file in the draft. Published versions keep the previous file. */
  async put(own: OwnFlow, asset_key: string, envelope: Envelope): Promise<Omit<FlowFileRow, 'file_id'>> {
    const bytes = bytesOf(envelope);
    const { kind, tags } = await this.inspect(own.company_user_id, bytes, envelope.mime_type);
    const { original_name, mime_type, size } = envelope;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { asset_key, kind, original_name, mime_type, size, sha256, tags, bytes, created_at: this.clock.now() };
    return this.home.write(own.company_user_id, async (tx) => {
      const flow = await lockOwn(tx, own);
      const files = await listFiles(tx, flow.flow_id, null);
      if (files.length >= FLOW_LIMITS.files && !files.some((one) => one.asset_key === asset_key)) throw new Refusal('flows.too_many');
      await putFile(tx, flow, file);
      await touchFlow(tx, flow, file.created_at);
      await this.audit.record(tx, { act: 'flow.file_changed', account_id: flow.company_user_id, object: flow.flow_id });
      return file;
    });
  }

  remove(own: OwnFlow, asset_key: string): Promise<void> {
    return this.home.write(own.company_user_id, async (tx) => {
      const flow = await lockOwn(tx, own);
      if (!(await removeFile(tx, { flow_id: flow.flow_id, asset_key }))) throw new Refusal('flows.template_not_found');
      await touchFlow(tx, flow, this.clock.now());
      await this.audit.record(tx, { act: 'flow.file_deleted', account_id: flow.company_user_id, object: flow.flow_id });
    });
  }

  onApplicationShutdown(): void {
    this.processes.stop();
  }

  /** Returns the kind of the file by its bytes, and the tags of a PDF. They are found in a process that can be killed. */
  private async inspect(company_user_id: string, bytes: Buffer, mime_type: string): Promise<Pick<FlowFileRow, 'kind' | 'tags'>> {
    const head = bytes.subarray(0, RASTER_HEAD_BYTES);
    if (rasterTypeOf(head)) {
      if (!isDeclaredRaster(mime_type, head)) throw invalid('mime_type: the bytes are an image of another kind');
      return { kind: 'image', tags: [] };
    }
    if (mime_type !== 'application/pdf') throw invalid('mime_type: must be application/pdf, or that of an image that is taken');
    const tags = await this.turns.run(company_user_id, () => this.processes.findTags(bytes)).catch(unusable);
    return { kind: 'pdf', tags };
  }
}

const invalid = (reason: string) => new Refusal('flows.template_invalid').because(reason);

function unusable(error: unknown): never {
  if (error instanceof PdfProcessesBusy) throw new Refusal('service.overloaded');
  throw error instanceof PdfRefusal ? invalid(error.message) : error;
}

function bytesOf({ file, size }: Envelope): Buffer {
  const bytes = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
  if (bytes.length !== size) throw new Refusal('request.invalid').because('size: must be the number of bytes of the file');
  if (size > TEMPLATE_MAX_MB * 1024 * 1024) throw new Refusal('documents.too_large');
  return bytes;
}
