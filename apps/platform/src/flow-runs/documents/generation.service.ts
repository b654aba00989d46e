import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Generated, type Generation } from '@cds/contracts';
import { CryptoRefusal, openBoxText } from '@cds/crypto';
import { move, RUN } from '@cds/domain';
import {
  chooseOutputs,
  compileFlow,
  copiesOf,
  readDefinition,
  signingLine,
  type Copy,
  type Flow,
  type FlowNode,
  type ProducedOutput,
  type Values,
} from '@cds/domain/flow-language';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count, timed } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { gatherInMemory } from '../../answer-memory.service.ts';
import { Audit } from '../../audit/index.ts';
import { REGION_DB } from '../../databases.ts';
import { listCopies, RunCopies, SealedCopies, type NewCopy, type RunCopy } from '../../documents/index.ts';
import { newId } from '../../ids.ts';
import { FieldTypesView } from '../../registry/index.ts';
import { findService } from '../../services/index.ts';
import { RunAnnouncing } from '../announcing.service.ts';
import { METRICS } from '../metrics.ts';
import type { Reader } from '../present.ts';
import { RunReading } from '../reading.service.ts';
import { listSources } from '../run-files.store.ts';
import { checkDeadline, hasDeletedAccount, RunLocking, type FindRun, type LockedRun } from '../run-locking.service.ts';
import { counterpartyOf, isCustomer, type PartyRow, type PlayedRun, type RunRow } from '../run-row.ts';
import { listAnswers, moveRun } from '../runs.store.ts';
import { PdfFilling, textsAt } from './filling.service.ts';
import { checkGenerating, checkGenerator, checkInputs, heldBy } from './generating.ts';
import { GenerationInputs } from './inputs.service.ts';
import { removeInputs } from './inputs.store.ts';
import { ProfileLanguages } from './languages.service.ts';
import { readValues } from './values.ts';

/** A generation that is under way. All of it is in memory only. */
interface UnderWay extends PlayedRun {
  flow: Flow;
  leaf: FlowNode;
  /** The plaintext of the answers, with all constants. */
  values: Values;
  otk: string;
  /** The uploaded input for each held source. */
  inputs: ReadonlyMap<string, string>;
  service_key: string;
}

/** Produces the documents of a run: chooses the rules, fills the PDFs, and issues a copy to every participant. @spec D2-4.3 */
@Injectable()
export class DocumentGeneration {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly locking: RunLocking,
    private readonly reading: RunReading,
    private readonly inputs: GenerationInputs,
    private readonly languages: ProfileLanguages,
    private readonly filling: PdfFilling,
    private readonly files: SealedCopies,
    private readonly copies: RunCopies,
    private readonly announcing: RunAnnouncing,
    private readonly view: FieldTypesView,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Generates the documents; a repeated call returns the same set. The values are opened in memory. PDFs are filled and stored, encrypted
   * for each participant, before the transaction that issues them; those that nobody takes are deleted. @spec D2-4.3
   */
  async generate(find: FindRun, by: Reader, given: Generation, withinMs = Infinity): Promise<Generated> {
    const deadline = performance.now() + withinMs;
    const run = await find.read(this.db);
    if (!run) throw new Refusal('flows.run_not_found');
    const played = await this.reading.played(this.db, run);
    const known = await this.known(played, by);
    if (known) return known;
    const startedAt = performance.now();
    const generated = await this.produce(find, { played, by, given }, deadline).catch((error: unknown) => {
      count(METRICS.generated, { 'cds.outcome': 'failed' });
      throw error;
    });
    timed(METRICS.generationTime, startedAt);
    count(METRICS.generated, { 'cds.outcome': 'generated' });
    return generated;
  }

  /** Returns the set that was generated before; undefined when there is none yet. */
  private async known(played: PlayedRun, by: Reader): Promise<Generated | undefined> {
    const { status } = played.run;
    if (status !== 'awaiting_signature' && status !== 'completed') return undefined;
    const copies = await listCopies(this.db, [played.run.run_id]);
    if (copies.length === 0) return undefined;
    checkGenerator({ ...played, by });
    return presentGenerated(copies, status);
  }

  private async produce(
    find: FindRun,
    { played, by, given }: { played: PlayedRun; by: Reader; given: Generation },
    deadline: number,
  ): Promise<Generated> {
    const underWay = await this.begin(played, by, given);
    const outputs = await this.choose(underWay);
    const issued: NewCopy[] = [];
    try {
      const copies = plannedCopies(outputs, played.parties);
      const texts = textsAt(underWay.flow, underWay.leaf, underWay.values);
      for (const output of outputs) issued.push(...(await this.issued(underWay, output, { copies, texts })));
      checkDeadline(deadline);
      const ordered = copies.map((copy) => issued.find((one) => isCopy(one, copy))!);
      return await this.locking.locked(find, deadline - performance.now(), (tx, locked) => this.issue(tx, locked, by, ordered));
    } catch (error) {
      await this.files.abandon(issued.map(({ stored }) => stored));
      throw error;
    }
  }

  /** Checks the call, and opens its values. */
  private async begin(played: PlayedRun, by: Reader, { otk, values, inputs }: Generation): Promise<UnderWay> {
    const { run, parties, definition } = played;
    const leaf = checkGenerating({ ...played, by, hasDeletedParty: await hasDeletedAccount(this.db, parties) });
    const held = heldBy(leaf, await listAnswers(this.db, run.run_id, by.user_id), await listSources(this.db, run.run_id, by.user_id));
    const uploaded = checkInputs(held, inputs, await this.inputs.list(run.run_id, by.user_id));
    const read = readDefinition(definition);
    if (!read.ok) throw new Refusal('flows.generation_failed').because('The definition of the run cannot be read');
    const answers = readValues(await openBoxText(otk, values).catch(unopened));
    const { public_key: service_key } = await findService(this.db, run).catch((error: unknown) => {
      throw error instanceof Refusal ? new Refusal('flows.not_generatable').because('The service of the run was deleted') : error;
    });
    const flow = compileFlow(read.definition, this.view.types);
    const computed = flow.values(answers, run.reference_date);
    return { ...played, flow, leaf: flow.node(leaf.key)!, values: computed, otk, inputs: uploaded, service_key };
  }

  /** Returns the output documents whose rules match. @spec D2-4.3.2 @spec D2-4.3.4 */
  private async choose({ parties, flow, leaf, values, inputs }: UnderWay): Promise<ProducedOutput[]> {
    const speaker = parties.find(({ party_key }) => party_key === leaf.output!.language_party);
    const language = speaker ? await this.languages.of(speaker.user_id) : null;
    const outputs = chooseOutputs(flow, leaf, { values, language, held: new Set(inputs.keys()) });
    if (outputs.length === 0) throw new Refusal('flows.generation_failed').because('No rule of any output document matches');
    return outputs;
  }

  /** Fills the PDF of an output, and stores a copy for each participant. Only one PDF is in memory. */
  private issued(
    underWay: UnderWay,
    output: ProducedOutput,
    { copies, texts }: { copies: readonly Copy[]; texts: ReadonlyMap<string, string> },
  ): Promise<NewCopy[]> {
    const { run, parties, service_key } = underWay;
    return gatherInMemory(run.company_user_id, async (take) => {
      const source = await this.sourceOf(underWay, output);
      take(source.length * 3); // the source, the filled PDF and what is encrypted of it
      const pdf = await this.filling.fill(run.company_user_id, source, texts, output).finally(() => source.fill(0));
      const own = copies.filter(({ output_key }) => output_key === output.output_key);
      const planned = own.map((copy) => ({ copy, party: parties.find(({ party_key }) => party_key === copy.party_key)! }));
      const readers = planned.map(({ party }) => readerOf(party, service_key));
      const named = { name: output.name, company_user_id: run.company_user_id };
      const plain_sha256 = createHash('sha256').update(pdf).digest('hex');
      const stored = await this.files.storeFor(named, pdf, readers).finally(() => pdf.fill(0));
      return planned.map(({ copy, party }, nth) => newCopy(copy, party, { plain_sha256, stored: stored[nth]! }));
    });
  }

  private async sourceOf({ run, inputs, otk }: UnderWay, { source }: ProducedOutput): Promise<Buffer> {
    if (source.kind === 'asset') return this.filling.template(run, source.asset_key);
    return this.inputs.open(inputs.get(source.source_key)!, otk);
  }

  /** Issues the copies, unless another call has done so meanwhile: then its set is returned, and these copies are deleted. */
  private async issue(tx: EntityManager, locked: LockedRun, by: Reader, copies: readonly NewCopy[]): Promise<Generated> {
    const { run, parties } = locked;
    const known = run.status === 'generating' ? [] : await listCopies(tx, [run.run_id]);
    if (known.length > 0 && (run.status === 'awaiting_signature' || run.status === 'completed')) {
      await this.files.abandon(copies.map(({ stored }) => stored));
      return presentGenerated(known, run.status);
    }
    checkGenerating({ ...locked, by });
    const now = this.clock.now();
    const status = move(RUN, 'generating', 'generated')!.next as RunRow['status'];
    await moveRun(tx, run.run_id, { ...run, status });
    await removeInputs(tx, [run.run_id]);
    const { run_id: object, company_user_id: account_id } = run;
    await this.audit.record(tx, {
      act: 'flow_run.generated',
      account_id,
      object,
      initiator: by.user_id,
      details: { count: copies.length },
    });
    await this.copies.issue(tx, run, copies, counterpartyOf(parties), now);
    const first = parties.find(({ party_key }) => party_key === copies[0]!.party_key)!;
    await this.announcing.announceTurn(tx, { run: { ...run, status }, parties }, first, now);
    return presentGenerated(copies, 'awaiting_signature');
  }
}

const unopened = (error: unknown): never => {
  throw error instanceof CryptoRefusal ? new Refusal('request.invalid').because('values: does not open with otk') : error;
};

/** Returns the copies in line order. @spec D2-4.3.5 @spec D2-8 */
function plannedCopies(outputs: readonly ProducedOutput[], parties: readonly PartyRow[]): Copy[] {
  const everybody = parties.map(({ party_key }) => party_key);
  return copiesOf(outputs, everybody, signingLine(outputs, everybody), new Set());
}

const isCopy = (one: Copy, other: Copy): boolean => one.output_key === other.output_key && one.party_key === other.party_key;

const readerOf = (party: PartyRow, service_key: string) => ({
  document_id: newId('doc'),
  ...(isCustomer(party)
    ? { reader: 'recipient' as const, public_key: party.public_key }
    : { reader: 'company' as const, public_key: service_key }),
});

const newCopy = (copy: Copy, party: PartyRow, file: Pick<NewCopy, 'plain_sha256' | 'stored'>): NewCopy => ({
  ...copy,
  ...file,
  document_id: file.stored.document_id,
  person_user_id: party.user_id,
  connection_id: party.connection_id,
  share_code: party.connection_id === null ? null : party.share_code,
  customer_type: party.customer_type,
});

/** @spec D2-4.3 */
const presentGenerated = (
  copies: readonly Pick<RunCopy, 'output_key' | 'party_key' | 'document_id' | 'position'>[],
  status: Generated['status'],
): Generated => ({
  documents: copies.map(({ output_key, party_key, document_id, position }) => ({ output_key, party_key, document_id, position })),
  status,
});
