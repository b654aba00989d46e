import { Inject, Injectable } from '@nestjs/common';
import { LINKED_FIELD, PIECE_CHARS, Refusal, type Callers } from '@cds/contracts';
import { isEmpty, readPlaintext, validateValue } from '@cds/domain/field-types';
import { Bus } from '@cds/runtime/bus';
import type { MessageOf, ReplyOf } from '@cds/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { findConnection, findSourcePart, movedMeanwhile, servedFile } from '../connections/index.ts';
import { REGION_DB } from '../databases.ts';
import { PublishedFlows } from '../flows/index.ts';
import { Home, homeStateOf } from '../regions/index.ts';
import { FieldTypesView } from '../registry/index.ts';
import { findLink, type LinkRow } from './links.store.ts';
import { RunFiles } from './run-files.service.ts';
import { findHeld } from './run-files.store.ts';
import { listAnswers } from './runs.store.ts';
import { referredFile } from './turn-checks.ts';

/** More characters than a value can have. */
const ALL_CHARS = 2 ** 31 - 1;

type Field = ReplyOf<typeof LINKED_FIELD>;

/** Reads files that customers have linked from their profiles to fields of flows, as the files are now. @spec D2-4.2 */
@Injectable()
export class FlowLinks {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
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
    const text = await this.current(customer_user_id, link.source_field);
    if (text === undefined) return this.copy(service, link);
    return this.served(link.type, text);
  }

  /** Returns a part of a value of a customer who lives here. */
  async field({ user_id, field, position }: MessageOf<typeof LINKED_FIELD>): Promise<Field> {
    await this.home.check(user_id);
    const found = await findSourcePart(this.db, user_id, field, { nth: position, chars: PIECE_CHARS });
    if (!found) return null;
    return { is_private: found.is_private, piece: found.part, pieces: found.parts, updated_at: found.updated_at.toISOString() };
  }

  /** Returns the current value; undefined when it is private. Refuses when it no longer exists, or was changed while it was read. */
  private async current(user_id: string, field: string): Promise<string | undefined> {
    const state = await homeStateOf(this.db, user_id);
    if (state !== undefined && state !== 'arriving') return this.currentHere(user_id, field);
    const region = await this.home.regionOf(user_id);
    if (region === undefined) throw notFound();
    const ask = (position: number) =>
      this.bus.request(LINKED_FIELD, { region }, { user_id, field, position }).catch((error: unknown) => {
        throw movedMeanwhile(error, 'service.unavailable');
      });
    const first = await ask(1);
    if (!first) throw notFound();
    if (first.is_private) return undefined;
    const parts = [first.piece];
    for (let position = 2; position <= first.pieces; position++) {
      const next = await ask(position);
      if (next?.updated_at !== first.updated_at) throw new Refusal('service.unavailable');
      parts.push(next.piece);
    }
    return parts.join('');
  }

  /** Returns the value of a customer who lives here. It is read at once, since reading any part of it costs as much as all of it. */
  private async currentHere(user_id: string, field: string): Promise<string | undefined> {
    const found = await findSourcePart(this.db, user_id, field, { nth: 1, chars: ALL_CHARS });
    if (!found) throw notFound();
    return found.is_private ? undefined : found.part;
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
    const held = reference && (await findHeld(this.db, run_id, company_user_id, reference._enc_file));
    if (!held) throw notFound();
    return this.files.read(held);
  }
}

const notFound = () => new Refusal('company_data.file_not_found');
