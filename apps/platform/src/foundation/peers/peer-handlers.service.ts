import { Inject, Injectable } from '@nestjs/common';
import { nameOfPeer, Refusal, userSpokenFor, type PeerSubject } from '@codase/contracts';
import type { RequestContext } from '@codase/runtime/bus';
import { currentInitiator, onStatement } from '@codase/runtime/initiator';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { z } from 'zod';
import { OwnMode } from '../regions/index.ts';
import { ACT_CHECK, type ActCheck, type StoredAct } from './act-check.hook.ts';
import { Speakers } from './speakers.service.ts';

/** Subjects between regions, by the name of the method that answers each. */
export type PeerTable = Readonly<Record<string, PeerSubject>>;
export type PeerReply<S extends PeerSubject> = z.output<NonNullable<S['reply']>>;

/**
 * What a provider needs to answer a table: a method for each subject. Of a request of another region it gets how long that region waits for
 * the answer, and the bus user who sent it.
 */
export type Handlers<T extends PeerTable> = {
  [K in keyof T]: (request: MessageOf<T[K]>, withinMs?: number, user?: string) => PeerReply<T[K]> | Promise<PeerReply<T[K]>>;
};

type Handler = (request: never, withinMs?: number, user?: string) => unknown;

/** Knows who answers each subject between regions in this process. @gap D1-1 */
@Injectable()
export class PeerHandlers {
  private readonly handlers = new Map<string, { subject: PeerSubject; handle: Handler }>();

  constructor(
    @Inject(OwnMode) private readonly mode: Pick<OwnMode, 'checkInOrder' | 'checkWritable'>,
    @Inject(Speakers) private readonly speakers: Pick<Speakers, 'check'>,
    @Inject(ACT_CHECK) private readonly acts: ActCheck,
  ) {}

  bind<T extends PeerTable>(table: T, provider: Handlers<T>): void {
    for (const [method, subject] of Object.entries(table))
      this.handlers.set(nameOfPeer(subject), { subject, handle: (request, ...rest) => provider[method]!(request, ...rest) });
  }

  /** Answers a request of this region. */
  async handle(subject: PeerSubject, request: object): Promise<unknown> {
    return this.perform(subject, request, () => this.find(nameOfPeer(subject)).handle(request as never));
  }

  /** Answers a request of another region, within the time for which that region waits. */
  async answer(subject: PeerSubject, request: object, context: RequestContext): Promise<unknown> {
    await this.admit(subject, request, context);
    const { handle } = this.find(nameOfPeer(subject));
    return this.perform(subject, request, () => handle(request as never, context.withinMs, context.user), context.user);
  }

  /**
   * Performs a request. When it is an act of a person, the statement of the person's device is checked first, in the region that stores the
   * act: one that only passes the act on cannot be trusted to check it. The audit keeps the statement with the act.
   */
  async perform<T>(subject: PeerSubject, request: object, work: () => T | Promise<T>, busUser?: string): Promise<T> {
    const act = subject.personAct?.(request as never);
    return act ? this.performAct({ ...act, user_id: userSpokenFor(subject, request)!, busUser }, work) : work();
  }

  /**
   * Checks an act before it is sent to another region: what an app has not signed is refused here, and the other region need not ask
   * itself what has become of this one.
   */
  checkBeforeSending(subject: PeerSubject, request: object): void {
    const act = subject.personAct?.(request as never);
    if (act) this.acts.check({ ...act, user_id: userSpokenFor(subject, request)!, busUser: undefined }, currentInitiator()?.statement);
  }

  /** Performs an act of a person that is stored in this region, in the same way. */
  async performAct<T>(act: StoredAct, work: () => T | Promise<T>): Promise<T> {
    return onStatement(this.acts.check(act, currentInitiator()?.statement), work);
  }

  /** Answers a request of another region that came as text. */
  async answerText(name: string, text: string, context: RequestContext): Promise<unknown> {
    const { subject } = this.find(name);
    return subject.reply!.parse(await this.answer(subject, subject.message.parse(JSON.parse(text)) as object, context));
  }

  /** Checks what is declared of the subject. Every request of another region comes through here. */
  private async admit(subject: PeerSubject, request: object, { user }: RequestContext): Promise<void> {
    if (subject.kind === 'read' && !subject.refusedWhilePaused) this.mode.checkInOrder();
    else this.mode.checkWritable();
    const user_id = userSpokenFor(subject, request);
    if (user_id !== undefined) await this.speakers.check(subject, user_id, user);
  }

  private find(name: string) {
    const found = this.handlers.get(name);
    if (!found) throw new Refusal('request.invalid').because('operation: must be one that this region answers');
    return found;
  }
}
