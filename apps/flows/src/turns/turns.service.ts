import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  Refusal,
  runs,
  type ErrorKey,
  type Output,
  type PlainKey,
  type RunState,
  type ASK_PLUGIN,
  type HAND_BACK_TURN,
  type TAKE_TURN,
  type TakenTurn,
} from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { backoffMs, isTransient, monotonic, WaitingReads } from '@codase/runtime/resilience';
import { DRAIN } from '@codase/runtime/service';
import { count, inSpan, LOG, measure, SpanKind, storedTrace, type Log } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { Platform, type OpenedRun } from '../runs/platform.service.ts';
import { SealingService, type Submission } from '../runs/sealing.service.ts';
import { SETTINGS, type Settings } from '../settings.ts';
import { AnswersService } from './answers.service.ts';
import { ExpiringMap } from './expiring-map.ts';
import { presentTurn } from './present-turn.ts';
import { answerByRule, type RuleAnswers } from './rules.ts';
import type { KeptRun, KeptTurn, RunKey } from './kept-run.ts';
import { RunsStore, type Moved } from './runs.store.ts';
import { isOurTurn } from './turn-state.ts';

/** The caller, and how long it waits for the answer. */
interface Asker {
  service: string;
  user: string | undefined;
  withinMs: number | undefined;
}
type Taking = MessageOf<typeof TAKE_TURN>;
type Asking = MessageOf<typeof ASK_PLUGIN>;
type ReadRun = Output<typeof runs.readRun>;

const USUAL_MS = 30_000;
/** The part of the caller's time that is spent waiting for a turn. The rest is for opening the turn and for the way back. */
const OURS = 0.8;
/** How many turns may turn out to be over when they are taken. After that many, the caller asks again. */
const MAX_TAKEN = 5;
/** How often a turn may fail before it is parked. */
const MAX_ATTEMPTS = 10;
const RETRY = { firstMs: 2_000, longestMs: 5 * 60_000 };
/** Pauses after which a turn that could not be played is offered again. They are short, because often no turn can be played for a while. */
const LATER_RETRY = { firstMs: 2_000, longestMs: 60_000 };
/** How long a run that was read when its turn was offered is used. If it is cancelled meanwhile, the answer to the turn is refused. */
const OFFERED_SECONDS = 30;

/** Lets services, rules and people take, answer and hand back the company's turns. */
@Injectable()
export class TurnsService {
  readonly waiting = new WaitingReads();
  /**
   * The opened runs of turns that are taken, by hold, until they are answered: opening a run again would cost as much as the whole turn.
   * They are plaintext, so they stay in this process, and only as long as the turn is held.
   */
  private readonly opened = new ExpiringMap<OpenedRun>();
  /** Runs as they were read when their turns were offered, for takers that come soon: only the company moves them meanwhile. */
  private readonly offered = new ExpiringMap<ReadRun>();

  constructor(
    private readonly store: RunsStore,
    private readonly platform: Platform,
    private readonly sealing: SealingService,
    private readonly answers: AnswersService,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(DRAIN) drain: AbortSignal,
  ) {
    // Callers that wait for a turn are told at once that there is none: the shutdown waits for the requests in hand.
    drain.addEventListener('abort', () => this.waiting.close());
  }

  /** Takes a turn for the caller, now or as soon as there is one. */
  async take(asker: Asker, message: Taking): Promise<{ turn: TakenTurn | null }> {
    if (message.hold !== undefined) return { turn: await this.takeAgain(asker, message) };
    const { flow_name, ...given } = message;
    const wanted = flow_name === undefined ? given : { ...given, flow_id: await this.platform.of(asker.service).flowId(message) };
    const endsAt = monotonic() + Math.min(message.wait_seconds * 1000, (asker.withinMs ?? USUAL_MS) * OURS);
    for (;;) {
      const turn = await this.takeNow(asker, wanted);
      const leftMs = endsAt - monotonic();
      if (turn || leftMs <= 0 || this.waiting.isFull || this.waiting.isClosed) return { turn };
      await this.waiting.wait(asker.service, leftMs); // another caller may take the turn first
    }
  }

  /** Checks, seals and stores the company's answers, and only then submits them. A repeat returns where the run is. @spec D2-4.2 */
  async answer(
    { service, user = '' }: Asker,
    { flow_run_id, hold, answers, ...given }: { flow_run_id: string; hold: string; answers: Record<string, unknown>; private: string[] },
  ): Promise<RunState> {
    const kept = await this.held({ service, flow_run_id }, hold, user);
    if (kept.state !== 'taken') return presentRun(kept);
    const opened = this.opened.get(hold) ?? (await this.openedTurn(kept));
    const prepared = await this.answers.prepare(service, opened, answers, new Set(given.private));
    if ('faults' in prepared) {
      count(METRICS.misfits, { 'codase.service': service });
      throw new Refusal('flows.turn_answer_invalid', { faults: prepared.faults });
    }
    const answered = await this.store.answered(kept, JSON.stringify(prepared.submission));
    this.opened.delete(hold);
    if (!answered) return presentRun(await this.held(kept, hold, user)); // the same request came twice, and the other one was faster
    count(METRICS.answered, { 'codase.service': service, 'codase.outcome': kept.held_by === null ? 'service' : 'person' });
    return presentRun(await this.submit(answered));
  }

  /** Asks the plugin of a field of a taken turn for the options of a block, or for the outputs. @spec D2-4.5 */
  async askPlugin({ service, user = '' }: Asker, { flow_run_id, hold, private: from_private, ...question }: Asking) {
    const kept = await this.held({ service, flow_run_id }, hold, user);
    if (kept.state !== 'taken') throw new Refusal('flows.turn_not_held');
    const opened = this.opened.get(hold) ?? (await this.openedTurn(kept));
    return this.answers.askPlugin(service, opened, question, new Set(from_private));
  }

  async handBack(
    { service, user = '' }: Asker,
    { flow_run_id, hold, failed, error_key }: MessageOf<typeof HAND_BACK_TURN>,
  ): Promise<Record<string, never>> {
    const kept = await this.store.find({ service, flow_run_id });
    const isHeld = kept?.state === 'taken' && kept.hold === hold && kept.holder === user;
    if (isHeld) await this.release(kept as KeptTurn, failed, error_key as ErrorKey | undefined);
    return {};
  }

  /** Gives a turn back, after a pause when it failed, and parks it after `MAX_ATTEMPTS`; not while something cannot be reached. */
  async release(kept: KeptTurn, failed: boolean, why?: ErrorKey): Promise<void> {
    this.opened.delete(kept.hold!);
    return this.giveBack(kept, { failed, why });
  }

  /** Gives back a turn that was held for too long. A holder that holds it for longer meanwhile keeps it. */
  releaseLapsed(kept: KeptTurn): Promise<void> {
    return this.giveBack(kept, { failed: kept.held_by === null, hasLapsed: true });
  }

  /** Forgets what was opened or read for takers that did not come back in time. */
  forgetEnded(): void {
    this.opened.forgetEnded();
    this.offered.forgetEnded();
  }

  private async giveBack(
    kept: KeptTurn,
    { failed, why, hasLapsed = false }: { failed: boolean; why?: ErrorKey | undefined; hasLapsed?: boolean },
  ): Promise<void> {
    if (failed && why !== undefined && isElsewhere(why)) return this.releaseForLater(kept, why);
    const error_key = why ?? (kept.error_key as ErrorKey | null);
    if (failed && kept.attempts + 1 >= MAX_ATTEMPTS) return this.park(kept, error_key ?? 'service.unavailable');
    const pauseMs = failed ? backoffMs(RETRY, kept.attempts + 1) : 0;
    await this.store.release(kept, { counts: failed ? 'attempts' : null, open_at: this.after(pauseMs), error_key, hasLapsed });
    if (!failed) this.waiting.wake(kept.service);
  }

  /** Gives back a turn that cannot be played now. It waits for a pause, so that takers get the others, and is never parked for that. */
  private async releaseForLater(kept: KeptTurn, error_key: ErrorKey): Promise<void> {
    const pauseMs = backoffMs(LATER_RETRY, kept.failures + 1);
    await this.store.release(kept, { counts: 'failures', open_at: this.after(pauseMs), error_key });
  }

  async resume({ service }: Asker, flow_run_id: string): Promise<RunState> {
    const resumed = await this.store.resume({ service, flow_run_id });
    if (!resumed) throw new Refusal('flows.turn_not_found');
    this.waiting.wake(service);
    return presentRun(resumed);
  }

  async cancel({ service }: Asker, flow_run_id: string): Promise<RunState> {
    const kept = await this.store.find({ service, flow_run_id });
    const run = await this.platform.of(service).ask(runs.cancelRun, { params: { runId: flow_run_id } });
    if (kept) await this.settle(kept, run);
    return { flow_run_id, status: run.status, node: run.current_node };
  }

  /** Submits the answers of a run, or reads it and answers by a rule. Returns the answering by a rule that asks plugins: it may be long. */
  async check(kept: KeptRun): Promise<(() => Promise<void>) | undefined> {
    if (kept.state === 'answered') return void (await this.submit(kept as KeptTurn));
    const run = await this.platform.of(kept.service).readRun(kept.flow_run_id);
    const { run: now } = await this.settle(kept, run);
    return now.state === 'open' && now.node === run.current_node ? this.answerByRule(now as KeptTurn, run) : undefined;
  }

  /** Stores the platform's state of a run, and wakes callers that wait for a turn. */
  async settle(before: KeptRun, run: ReadRun): Promise<Moved> {
    await this.platform.learnNames(before.service, run.flow_id);
    const moved = await this.store.settle(before, run);
    if (moved.also.includes('measure answer')) this.measureAnswer(moved.before as KeptTurn);
    if (moved.also.includes('offer')) this.offer(moved.run, run);
    return moved;
  }

  private offer(kept: KeptRun, run: ReadRun): void {
    this.offered.put(nameOf(kept), this.platform.of(kept.service).withKnownDefinition(run), OFFERED_SECONDS);
    this.waiting.wake(kept.service);
  }

  async park(kept: KeptRun, error_key: ErrorKey): Promise<void> {
    if (!(await this.store.park(kept, error_key))) return;
    count(METRICS.parked, { 'codase.service': kept.service, 'codase.error_key': error_key });
    const words =
      kept.state === 'generating'
        ? 'the documents of a run cannot be generated and it was parked: mend it and resume it, or cancel the run'
        : 'a turn cannot go on by itself and was parked: mend it and resume it';
    this.log.error(words, { 'codase.service': kept.service, 'codase.error_key': error_key });
  }

  private async takeNow({ service, user = '' }: Asker, { by, hold_seconds, ...wanted }: Taking): Promise<TakenTurn | null> {
    for (let nth = 0; nth < MAX_TAKEN; nth++) {
      const holding = { hold: randomUUID(), holder: user, held_by: by ?? null, hold_seconds };
      const kept = await this.store.take(service, wanted, holding);
      if (!kept) return null;
      const turn = await this.present(kept, hold_seconds);
      if (turn) return turn;
    }
    return null;
  }

  private async takeAgain({ service, user = '' }: Asker, { flow_run_id, hold, hold_seconds }: Taking): Promise<TakenTurn> {
    if (flow_run_id === undefined) throw new Refusal('request.invalid').because('Give flow_run_id beside hold');
    const kept = await this.store.extend({ service, flow_run_id }, { hold: hold!, holder: user, hold_seconds });
    const turn = kept && (await this.present(kept, hold_seconds, { isReadAgain: true }));
    if (!turn) throw new Refusal('flows.turn_not_held');
    return turn;
  }

  /** Opens and presents a turn, in the trace of the run. Undefined when the turn is over, or could not be opened. */
  private present(kept: KeptTurn, hold_seconds: number, { isReadAgain = false } = {}): Promise<TakenTurn | undefined> {
    const options = { kind: SpanKind.INTERNAL, parent: storedTrace(kept.traceparent), attributes: { 'codase.service': kept.service } };
    return inSpan('take turn', options, async () => {
      try {
        const opened = await this.openedTurn(kept);
        const party_keys = asksForFile(opened) ? await this.sealing.keysOf(kept.service, opened.run) : {};
        this.opened.put(kept.hold!, opened, hold_seconds);
        return presentTaken(kept, opened, party_keys);
      } catch (error) {
        if (isFaultOfTurn(keyOf(error))) await this.parkHeld(kept, keyOf(error));
        else if (isReadAgain) throw error; // the turn stays with its holder, who may read it once more
        else await this.giveBackUnopened(kept, error);
        return undefined;
      }
    });
  }

  private async parkHeld(kept: KeptTurn, error_key: ErrorKey): Promise<void> {
    this.opened.delete(kept.hold!);
    await this.park(kept, error_key);
  }

  /** Gives back a turn that was just taken and could not be opened. Throws when the taker may ask again soon. */
  private async giveBackUnopened(kept: KeptTurn, error: unknown): Promise<void> {
    const key = keyOf(error);
    if (isTransient(error)) {
      await this.releaseForLater(kept, key);
      throw error;
    }
    if (key !== 'flows.turn_not_held') await this.release(kept, true, key);
  }

  /** Opens the run as it was offered, or as the platform has it now. Refuses when the turn is over. */
  private async openedTurn(kept: KeptTurn): Promise<OpenedRun> {
    const platform = this.platform.of(kept.service);
    const offered = this.offered.take(nameOf(kept));
    if (offered?.current_node === kept.node) return platform.open(offered);
    const run = await platform.readRun(kept.flow_run_id);
    if (isOurTurn(run) && run.current_node === kept.node) return platform.open(run);
    await this.settle(kept, run);
    throw new Refusal('flows.turn_not_held');
  }

  private async held(key: RunKey, hold: string, user: string): Promise<KeptTurn> {
    const kept = await this.store.find(key);
    if (!kept || kept.hold !== hold || kept.holder !== user) throw new Refusal('flows.turn_not_held');
    return kept as KeptTurn;
  }

  /** Answers the turn by a rule, before services and people can. If the rule's answers do not fit, the turn stays open for them. */
  private async answerByRule(kept: KeptTurn, run: ReadRun): Promise<(() => Promise<void>) | undefined> {
    const rules = this.settings.rules(kept.service, kept.flow_id).filter(({ node }) => node === kept.node);
    if (rules.length === 0) return undefined;
    const opened = await this.platform.of(kept.service).open(run);
    const answers = answerByRule(opened, rules);
    if (!answers) return undefined;
    const answer = () => this.giveAnswers(kept, opened, answers);
    return answers.asksPlugins ? answer : void (await answer());
  }

  private async giveAnswers(kept: KeptTurn, opened: OpenedRun, answers: RuleAnswers): Promise<void> {
    const prepared = await this.preparedByRule(kept, opened, answers);
    if (!prepared) return;
    const answered = await this.store.answered(kept, JSON.stringify(prepared));
    if (!answered) return;
    count(METRICS.answered, { 'codase.service': kept.service, 'codase.outcome': 'rule' });
    await this.submit(answered);
  }

  /** Prepares the answers of a rule. Undefined when they do not fit, or a plugin does not answer: somebody must answer the turn. */
  private async preparedByRule({ service }: KeptTurn, opened: OpenedRun, by: RuleAnswers): Promise<Submission | undefined> {
    try {
      const prepared = await this.answers.prepare(service, opened, by.given, by.from_private);
      if ('submission' in prepared) return prepared.submission;
      count(METRICS.misfits, { 'codase.service': service });
      this.log.warn('what a rule answers does not fit the step: somebody must answer it', { 'codase.service': service });
    } catch (error) {
      if (!(error instanceof Refusal && error.key.startsWith('plugin.'))) throw error;
      this.log.warn('a plugin did not answer a rule: somebody must answer the step', {
        'codase.service': service,
        'codase.error_key': error.key,
      });
    }
    return undefined;
  }

  /**
   * Submits the sealed answers to the platform. They may have been submitted before: then the platform refuses them, because no node leads
   * to itself, and the present state of the run shows it. @spec D2-4.2
   */
  private async submit(kept: KeptTurn): Promise<KeptRun> {
    const platform = this.platform.of(kept.service);
    const body = JSON.parse(kept.submission!) as Submission;
    const parent = storedTrace(kept.traceparent);
    return inSpan('submit turn', { kind: SpanKind.INTERNAL, parent, attributes: { 'codase.service': kept.service } }, async () => {
      try {
        const run = await platform.ask(runs.answerRun, { params: { runId: kept.flow_run_id }, body });
        return (await this.settle(kept, run)).run;
      } catch (error) {
        if (isTransient(error)) return this.submitLater(kept, error);
        const { run } = await this.settle(kept, await platform.readRun(kept.flow_run_id));
        if (run.state === 'answered' && run.node === kept.node) await this.park(kept, keyOf(error));
        return run;
      }
    });
  }

  private async submitLater(kept: KeptTurn, error: unknown): Promise<KeptRun> {
    const key = keyOf(error);
    count(METRICS.checksFailed, { 'codase.service': kept.service, 'codase.error_key': key });
    this.log.warn('answers could not be submitted now', { 'codase.service': kept.service, 'codase.error_key': key, error });
    await this.store.postpone(kept, this.after(backoffMs(RETRY, kept.failures + 1)), key);
    return kept;
  }

  private after(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }

  private measureAnswer({ opened_at }: KeptTurn): void {
    measure(METRICS.answerTime, (this.clock.now().getTime() - opened_at.getTime()) / 1000);
  }
}

const nameOf = ({ service, flow_run_id }: RunKey): string => `${service} ${flow_run_id}`;

/** Refusals that are about a turn itself, so that no further attempt helps. Any other refusal may be about the service, and pass. */
const FAULTS_OF_TURN: readonly ErrorKey[] = [
  'account.counterparty_deleted',
  'decryptor.unreadable',
  'documents.too_large',
  'flows.definition_invalid',
  'keys.not_found',
  'company_data.connection_not_found',
];
/**
 * Whether a handler failed because of something that it shares with others and that will be reached again. The plugin of a step is part of
 * that step alone: an operator must hear of a plugin that stays away.
 */
const isElsewhere = (key: ErrorKey): boolean => !key.startsWith('plugin.') && isTransient(new Refusal(key as PlainKey));
export const isFaultOfTurn = (key: ErrorKey): boolean => FAULTS_OF_TURN.includes(key);

export const keyOf = (error: unknown): ErrorKey => (error instanceof Refusal ? error.key : 'service.unavailable');

const presentRun = ({ flow_run_id, status, node }: KeptRun): RunState => ({ flow_run_id, status, node });

const asksForFile = ({ flow, node }: OpenedRun): boolean =>
  node.elements.some((element) => element.kind === 'field' && flow.kinds.get(element.slug) === 'binary');

function presentTaken(kept: KeptTurn, opened: OpenedRun, party_keys: TakenTurn['party_keys']): TakenTurn {
  const { flow_run_id, flow_id, hold, held_until, attempts } = kept;
  const { run, node, attested, private_slugs, reference_date } = opened;
  return {
    flow_run_id,
    flow_id,
    flow_version: run.flow_version,
    node: node.key,
    title: node.title,
    reference_date,
    hold: hold!,
    held_until: held_until!.toISOString(),
    attempts,
    attested,
    private_slugs: [...private_slugs],
    ...presentTurn(opened),
    party_keys,
  };
}
