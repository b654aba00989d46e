import { Inject, Injectable } from '@nestjs/common';
import { LINKED_FIELD, PIECE_CHARS, Refusal, type Callers } from '@codase/contracts';
import { isEmpty, readPlaintext, validateValue } from '@codase/domain/field-types';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { readInMemory } from '../../../kit/answer-memory.service.ts';
import { findConnection, findSourcePart, findSourceSize, isNotedCompany, servedFile } from '../../../sharing/connections/index.ts';
import { movedMeanwhile, Peers } from '../../../foundation/peers/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { PublishedFlows } from '../../../services/flows/index.ts';
import { Home, homeStateOf } from '../../../foundation/regions/index.ts';
import { FieldTypesView } from '../../../services/registry/index.ts';
import { findLink, type LinkRow } from './links.store.ts';
import { RunFiles } from '../files/run-files.service.ts';
import { findStoredFile } from '../files/run-files.store.ts';
import { listAnswers } from '../runs.store.ts';
import { referredFile } from '../turns/turn-checks.ts';

/** More characters than a value can have. */
const ALL_CHARS = 2 ** 31 - 1;

type Field = ReplyOf<typeof LINKED_FIELD>;

/** A text that is read when there is memory for it. */
interface LongText {
  bytes: number;
  read(): Promise<string>;
}

/** Reads files that customers have linked from their profiles to fields of flows, as the files are now. @spec D2-4.2 */
@Injectable()
export class FlowLinks {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly peers: Peers,
    private readonly home: Home,
    private readonly flows: PublishedFlows,
    private readonly files: RunFiles,
    private readonly view: FieldTypesView,
  ) {}

  /**
   * Reads a linked file. A public file is read in its owner's region, as it is now. A private file is sealed to its owner only, so the
   * service gets the copy that was sealed to it when the file was last linked. A file that its owner has deleted, emptied or replaced
   * by something else is not found. @gap D2-4.2
   */
  async read(service: Callers['service'], { connectionId, flowId, slug }: { connectionId: string; flowId: string; slug: string }) {
    const { customer_user_id } = await findConnection(this.db, service, connectionId);
    await this.flows.exists(this.db, service, flowId);
    const link = await findLink(this.db, { connection_id: connectionId, flow_id: flowId, slug });
    if (!link) throw notFound();
    const current = await this.current(service, customer_user_id, link.source_field);
    if (!current) return this.copy(service, link);
    return readInMemory(service.company_user_id, current.bytes, async () => this.served(link.type, await current.read()));
  }

  /** Returns a part of a value of a customer who lives here, for a company to which the customer has a connection. */
  async field({ company_user_id, user_id, field, position }: MessageOf<typeof LINKED_FIELD>): Promise<Field> {
    await this.home.check(user_id);
    if (!(await isNotedCompany(this.db, user_id, company_user_id))) return null;
    const found = await findSourcePart(this.db, user_id, field, { nth: position, chars: PIECE_CHARS });
    if (!found) return null;
    return { is_private: found.is_private, piece: found.part, pieces: found.parts, updated_at: found.updated_at.toISOString() };
  }

  /** Finds the current value and does not read it yet; undefined when it is private. Refuses when it no longer exists. */
  private async current({ company_user_id }: Callers['service'], user_id: string, field: string): Promise<LongText | undefined> {
    const state = await homeStateOf(this.db, user_id);
    if (state !== undefined && state !== 'arriving') return this.currentHere(user_id, field);
    const region = await this.home.regionOf(user_id);
    if (region === undefined) throw notFound();
    const ask = (position: number) =>
      this.peers.call(LINKED_FIELD, region, { company_user_id, user_id, field, position }).catch((error: unknown) => {
        throw movedMeanwhile(error, 'service.unavailable');
      });
    const first = await ask(1);
    if (!first) throw notFound();
    return first.is_private ? undefined : { bytes: first.pieces * PIECE_CHARS, read: () => joined(first, ask) };
  }

  /** The same for a customer who lives here. The value is read at once, since reading any part of it costs as much as all of it. */
  private async currentHere(user_id: string, field: string): Promise<LongText | undefined> {
    const found = await findSourceSize(this.db, user_id, field);
    if (!found) throw notFound();
    const read = async () => {
      const value = await findSourcePart(this.db, user_id, field, { nth: 1, chars: ALL_CHARS });
      if (!value) throw notFound();
      if (value.is_private) throw changedMeanwhile();
      return value.part;
    };
    return found.is_private ? undefined : { bytes: found.bytes, read };
  }

  /** Returns the value as it is served. An empty value is valid for its owner, but it is no file. */
  private served(type: string, text: string) {
    const { types } = this.view;
    const value = readPlaintext(types, type, text);
    if (isEmpty(value) || !validateValue(types, type, value).ok) throw notFound();
    return servedFile(types.resolve(type), false, text);
  }

  private async copy({ company_user_id }: Callers['service'], { run_id, slug }: LinkRow) {
    const answers = await listAnswers(this.db, run_id, company_user_id);
    const reference = referredFile(answers.find((answer) => answer.slug === slug)?.value ?? '');
    const stored = reference && (await findStoredFile(this.db, run_id, company_user_id, reference._enc_file));
    if (!stored) throw notFound();
    return this.files.read(stored);
  }
}

/** Returns all pieces as one text. Refuses when the value was changed while it was read. */
async function joined(first: NonNullable<Field>, ask: (position: number) => Promise<Field>): Promise<string> {
  const parts = [first.piece];
  for (let position = 2; position <= first.pieces; position++) {
    const next = await ask(position);
    if (next?.updated_at !== first.updated_at) throw changedMeanwhile();
    parts.push(next.piece);
  }
  return parts.join('');
}

const notFound = () => new Refusal('company_data.file_not_found');
const changedMeanwhile = () => new Refusal('service.unavailable');
