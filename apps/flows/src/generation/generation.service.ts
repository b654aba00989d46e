import { Injectable } from '@nestjs/common';
import { Refusal, runs, UPLOAD_BODY_BYTES, type Generation, type Run } from '@codase/contracts';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { availableSources, isFileReference, readAnswer, type Answers } from '@codase/domain/flow-language';
import { FilePermits } from '../runs/file-permits.service.ts';
import { Platform, type OpenedRun, type ServicePlatform } from '../runs/platform.service.ts';

/** The time for filling and sealing all PDFs of a run, which the platform does in one request. */
const TIMEOUT_MS = 60_000;

/**
 * Has the platform generate the documents of a run. Answers and files are opened in memory, travel under a one-time key, and are stored
 * nowhere here. A repeat answers the same documents: after a crash anywhere, all is done again with a new key. @spec D2-4.3
 */
@Injectable()
export class GenerationService {
  constructor(
    private readonly platform: Platform,
    private readonly permits: FilePermits,
  ) {}

  /** Generates the documents of a run. If its files have changed meanwhile, reads it again and sends them once more. @spec D2-4.3.7 */
  async generate(service: string, run: Run): Promise<void> {
    const platform = this.platform.of(service);
    try {
      await this.generateOnce(platform, run);
    } catch (error) {
      if (!isRefused(error, 'flows.generate_inputs_mismatch')) throw error;
      await this.generateOnce(platform, await platform.readRun(run.id));
    }
  }

  private async generateOnce(platform: ServicePlatform, run: Run): Promise<void> {
    const opened = await platform.open(run);
    const otk = createOneTimeKey();
    const inputs = await this.uploadInputs(platform, opened, otk);
    const values = await sealBox(otk, JSON.stringify(opened.answers));
    const request = { params: { runId: run.id }, body: { otk, values, inputs } };
    await platform.send(runs.generateDocuments, request, values.length, TIMEOUT_MS);
  }

  /** Uploads the participants' PDFs that the run holds for the company at this leaf, one after the other. @spec D2-4.3.7 */
  private async uploadInputs(platform: ServicePlatform, { node, answers, run }: OpenedRun, otk: string): Promise<Generation['inputs']> {
    const inputs: Generation['inputs'] = [];
    for (const source_key of availableSources(node, { answers, source_files: run.source_files })) {
      const uploaded = this.permits.run(platform.service, () => uploadInput(platform, run.id, source_key, otk));
      const input = await uploaded.catch((error: unknown) => {
        // A linked file that was too large to be copied into the run stays where it is, and the run does not hold it. @spec D2-4.3.8
        if (isRefused(error, 'flows.file_not_found') && isLinkedAnswer(answers, source_key)) return undefined;
        throw error;
      });
      if (input !== undefined) inputs.push({ source_key, input });
    }
    return inputs;
  }
}

async function uploadInput(platform: ServicePlatform, runId: string, source_key: string, otk: string): Promise<string> {
  const value = await sealBox(otk, await readEnvelope(platform, runId, source_key));
  const request = { params: { runId }, body: { source_key, value } };
  return (await platform.send(runs.uploadGenerationInput, request, value.length)).input;
}

/** Reads and opens the company's own copy of a participant's PDF. Its plaintext is the envelope with the PDF. @spec D2-4.2 */
async function readEnvelope(platform: ServicePlatform, runId: string, source_key: string): Promise<string> {
  const source = sourceOfKey(source_key);
  const file =
    source.kind === 'answer'
      ? await platform.fetchFile(runs.readAnswerFile, { params: { runId, slug: source.slug } }, UPLOAD_BODY_BYTES)
      : await platform.fetchFile(runs.readSourceFile, { params: { runId, sourceKey: source_key } }, UPLOAD_BODY_BYTES);
  if (!('encrypted' in file) || !file.encrypted) throw new Refusal('decryptor.unreadable');
  return (await platform.opener.open({ value: file.value })).plaintext;
}

const isRefused = (error: unknown, key: Refusal['key']): boolean => error instanceof Refusal && error.key === key;

const FIELD = 'field:';

/** Returns where the company's copy of a participant's PDF is read: with the answers, or with the files of connections. @spec D2-2.4 */
const sourceOfKey = (source_key: string): { kind: 'answer'; slug: string } | { kind: 'connection' } =>
  source_key.startsWith(FIELD) ? { kind: 'answer', slug: source_key.slice(FIELD.length) } : { kind: 'connection' };

/** Whether a participant's PDF is an answer that was linked from a profile. @spec D2-2.2 */
function isLinkedAnswer(answers: Answers, source_key: string): boolean {
  const source = sourceOfKey(source_key);
  if (source.kind !== 'answer' || !Object.hasOwn(answers, source.slug)) return false;
  const reference = readAnswer('binary', answers[source.slug]);
  return isFileReference(reference) && reference._link === 1;
}
