import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DOCUMENT_MAX_MB, Refusal } from '@codase/contracts';
import { templateText, type Flow, type FlowNode, type ProducedOutput, type Source, type Values } from '@codase/domain/flow-language';
import { PdfProcesses, PdfProcessesBusy, PdfRefusal } from '@codase/pdf';
import { FairSemaphore } from '@codase/runtime/resilience';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { PublishedFlows } from '../../../services/flows/index.ts';
import type { RunRow } from '../run-row.ts';

/** As many PDFs are filled at once as there are processes, and those of one company one after the other. */
const TURNS = { total: 2, each: 1, queuedEach: 8, waitMs: 10_000 };
const MAX_BYTES = DOCUMENT_MAX_MB * 1024 * 1024;

/** Reads PDFs and fills their tags, in processes that can be killed: the PDFs come from strangers. @spec D2-4.3.6 */
@Injectable()
export class PdfFiller implements OnApplicationShutdown {
  private readonly processes = new PdfProcesses({ size: TURNS.total });
  private readonly turns = new FairSemaphore(TURNS, overloaded);

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly flows: PublishedFlows,
  ) {}

  /** Finds a template of the version that the run is pinned to. */
  async template(run: RunRow, asset_key: string): Promise<SourcePdf> {
    const { flow_id, flow_version: version } = run;
    const file = await this.flows.file(this.db, run, { flow_id, version, asset_key });
    if (!file) throw failed(`asset_key ${asset_key}: the flow has no such template any more`);
    return { bytes: file.size, read: () => this.flows.bytes(this.db, file) };
  }

  /** Fills the tags of a PDF; tags without an answer print empty. When the machine is busy, the call may be repeated. @spec D2-4.3.6 */
  async fill(run: RunRow, pdf: Buffer, values: ReadonlyMap<string, string>, { name, source }: ProducedOutput): Promise<Buffer> {
    try {
      return await this.turns.run(run.company_user_id, () => this.processes.fill(pdf, values, { filledBytes: MAX_BYTES }));
    } catch (error) {
      if (error instanceof PdfProcessesBusy) throw overloaded();
      if (!(error instanceof PdfRefusal)) throw error;
      throw faultOf(source, name, error);
    }
  }

  onApplicationShutdown(): void {
    this.processes.stop();
  }
}

/** Returns the text of every key that a tag can name at a leaf. */
export function textsAt(flow: Flow, leaf: FlowNode, values: Values): Map<string, string> {
  const text = templateText(flow, leaf.key, values);
  return new Map([...flow.kinds.keys()].map((tag) => [tag, text(tag)]));
}

/** A fault of a participant's PDF is another one than that of a template. @spec D2-7 */
const faultOf = (
  source: Source,
  name: string,
  { reason, message }: PdfRefusal,
): Refusal<'flows.generation_failed' | 'flows.source_pdf_invalid'> =>
  source.kind === 'asset'
    ? failed(`${name}: the template ${source.asset_key} cannot be filled (${reason}): ${message}`)
    : new Refusal('flows.source_pdf_invalid').because(`${name}: ${source.source_key} (${reason}): ${message}`);

const overloaded = () => new Refusal('service.overloaded');
const failed = (reason: string) => new Refusal('flows.generation_failed').because(reason);

/** A PDF that is read once there is memory for it. */
export interface SourcePdf {
  /** The most bytes that it has. */
  bytes: number;
  read(): Promise<Buffer>;
}

/** The memory for each byte of a PDF that is filled: its base64, what is sent to the process that fills it, and what comes back. */
const MEMORY = 4 / 3 + 2;

/** Returns how much memory the filling of a PDF takes. */
export const memoryOf = ({ bytes }: SourcePdf): number => Math.ceil(bytes * MEMORY);
