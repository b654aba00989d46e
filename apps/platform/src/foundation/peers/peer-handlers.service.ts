import { Inject, Injectable } from '@nestjs/common';
import { nameOfPeer, Refusal, userSpokenFor, type PeerSubject } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { z } from 'zod';
import { REGION_DB } from '../../kit/databases.ts';
import { homeStateOf, OwnMode } from '../regions/index.ts';

/** Subjects between regions, by the name of the method that answers each. */
export type PeerTable = Readonly<Record<string, PeerSubject>>;
export type PeerReply<S extends PeerSubject> = z.output<NonNullable<S['reply']>>;

/**
 * What a provider needs to answer a table: a method for each subject. `withinMs` is how long another region waits for the answer; it is
 * absent for a request of this region.
 */
export type Handlers<T extends PeerTable> = {
  [K in keyof T]: (request: MessageOf<T[K]>, withinMs?: number) => PeerReply<T[K]> | Promise<PeerReply<T[K]>>;
};

type Handler = (request: never, withinMs?: number) => unknown;

/** Knows who answers each subject between regions in this process. @gap D1-1 */
@Injectable()
export class PeerHandlers {
  private readonly handlers = new Map<string, { subject: PeerSubject; handle: Handler }>();

  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    @Inject(OwnMode) private readonly mode: Pick<OwnMode, 'checkInOrder' | 'checkWritable'>,
  ) {}

  bind<T extends PeerTable>(table: T, provider: Handlers<T>): void {
    for (const [method, subject] of Object.entries(table))
      this.handlers.set(nameOfPeer(subject), { subject, handle: (request, withinMs) => provider[method]!(request, withinMs) });
  }

  /** Answers a request of this region. */
  async handle(subject: PeerSubject, request: object): Promise<unknown> {
    return this.find(nameOfPeer(subject)).handle(request as never);
  }

  /** Answers a request of another region, within the time for which that region waits. */
  async answer(subject: PeerSubject, request: object, withinMs?: number): Promise<unknown> {
    await this.admit(subject, request);
    return this.find(nameOfPeer(subject)).handle(request as never, withinMs);
  }

  /** Answers a request of another region that came as text. */
  async answerText(name: string, text: string, withinMs?: number): Promise<unknown> {
    const { subject } = this.find(name);
    return subject.reply!.parse(await this.answer(subject, subject.message.parse(JSON.parse(text)) as object, withinMs));
  }

  /** Checks what is declared of the subject. Every request of another region comes through here. */
  private async admit(subject: PeerSubject, request: object): Promise<void> {
    if (subject.kind === 'read' && !subject.refusedWhilePaused) this.mode.checkInOrder();
    else this.mode.checkWritable();
    const user_id = subject.refusedAtHome && userSpokenFor(subject, request);
    if (user_id && (await homeStateOf(this.db, user_id)) === 'here') throw new Refusal('service.unavailable');
  }

  private find(name: string) {
    const found = this.handlers.get(name);
    if (!found) throw new Refusal('request.invalid').because('operation: must be one that this region answers');
    return found;
  }
}
