import { Refusal, type Generated, type Generation, type Run } from '@codase/contracts';
import { openBoxText } from '@codase/crypto';

/** What the platform got for one generation, opened. */
interface GotGeneration {
  run: string;
  otk: string;
  values: Record<string, string>;
  /** The envelopes of the participants' PDFs, by source key. */
  inputs: Record<string, string>;
}
interface Upload {
  run: string;
  source_key: string;
  value: string;
}

/** Plays the generation of documents: inputs that are for one call, and documents that every later call answers. @spec D2-4.3 */
export class PlayedGeneration {
  /** The generations that had the right inputs. */
  readonly got: GotGeneration[] = [];
  calls = 0;
  /** The files that the run does not hold although an answer names them. */
  readonly liveOnly = new Set<string>();
  /** Called before the documents are made, and after that. */
  onGenerate: () => Promise<void> | void = () => undefined;
  onGenerated: () => Promise<void> | void = () => undefined;
  private readonly uploads = new Map<string, Upload>();
  private readonly made = new Map<string, Generated['documents']>();

  constructor(private readonly company_user_id: string) {}

  takes(run: Run, { source_key, value }: Omit<Upload, 'run'>): { input: string } {
    if (run.status !== 'generating') throw new Refusal('flows.not_generatable');
    const input = `inp_${this.uploads.size + 1}`;
    this.uploads.set(input, { run: run.id, source_key, value });
    return { input };
  }

  async generates(run: Run, generation: Generation): Promise<Generated> {
    this.calls++;
    await this.onGenerate();
    const documents = this.made.get(run.id) ?? (await this.makes(run, generation));
    await this.onGenerated();
    return { documents, status: 'awaiting_signature' };
  }

  private async makes(run: Run, { otk, values, inputs }: Generation): Promise<Generated['documents']> {
    if (run.status !== 'generating') throw new Refusal('flows.not_generatable');
    const named = inputs.map(({ source_key }) => source_key).toSorted();
    const uploads = inputs.map(({ input }) => this.uploads.get(input));
    const areTheirs = uploads.every((upload, nth) => upload?.run === run.id && upload.source_key === inputs[nth]!.source_key);
    if (!areTheirs || named.join() !== this.sourcesOf(run).join()) throw new Refusal('flows.generate_inputs_mismatch');
    const opened = await Promise.all(uploads.map(async (upload) => [upload!.source_key, await openBoxText(otk, upload!.value)] as const));
    const map = JSON.parse(await openBoxText(otk, values)) as Record<string, string>;
    this.got.push({ run: run.id, otk, values: map, inputs: Object.fromEntries(opened) });
    return this.issues(run);
  }

  /** Makes one document for each party, and opens the first copy. */
  private issues(run: Run): Generated['documents'] {
    const documents = run.participants.map(({ party_key }, nth) => ({
      output_key: 'lease',
      party_key,
      document_id: `doc_${run.id}_${party_key}`,
      position: nth + 1,
    }));
    this.made.set(run.id, documents);
    run.status = 'awaiting_signature';
    return documents;
  }

  /** The participants' PDFs of the leaf that the run holds for the company. @spec D2-4.3.7 */
  private sourcesOf({ definition, current_node, answers, source_files }: Run): string[] {
    const rules = definition.nodes.find(({ key }) => key === current_node)?.output?.documents.flatMap((document) => document.rules) ?? [];
    const isAnswered = (slug: string) =>
      !this.liveOnly.has(slug) && answers.some((answer) => answer.slug === slug && answer.for_user_id === this.company_user_id);
    return rules
      .flatMap(({ source_field, source_connection }) => [
        ...(source_field !== undefined && isAnswered(source_field) ? [`field:${source_field}`] : []),
        ...(source_connection ? [`conn:${source_connection.party}:${source_connection.request_slug}`] : []),
      ])
      .filter((key) => key.startsWith('field:') || Object.hasOwn(source_files, key))
      .toSorted();
  }
}
