import { isDeepStrictEqual } from 'node:util';
import { ownerRuns, Refusal, runs, type ErrorKey, type FlowDefinition, type Request, type Run } from '@codase/contracts';
import { isTransient } from '@codase/runtime/resilience';
import { sealedFor, type SubmittedTurn } from '@codase/testing';
import { untilAnswered } from '../../until-answered.ts';
import { ofModel, ofRun, same } from './compare-run.ts';
import type { CustomerPlayer, FlowTable, Mishap, Player } from './flow-table.ts';
import { Comparisons } from './game-comparisons.ts';
import { Dice, type Step } from './game-steps.ts';
import { REQUEST_ROWS } from './random-flow.ts';
import {
  afterCancel,
  afterTurn,
  awaited,
  isOver,
  questionsOf,
  refusalOf,
  sharedBy,
  started,
  usersOf,
  waysOn,
  type RunModel,
  type Seat,
  type Version,
} from './run-model.ts';

type NewRun = Request<typeof runs.startRun>['body'];

/** How a request ended: accepted, refused, or unknown. */
type Outcome = 'taken' | ErrorKey | 'unknown';

const MISHAPS: readonly Mishap[] = ['cut before', 'cut after', 'lost database'];

/** Plays a random flow against the platform and against the model. */
export class FlowGame {
  private readonly runs: RunModel[] = [];
  private readonly keys = new Map<string, { body: NewRun; id: string }>();
  /** The last accepted turn of each run, and its player. */
  private readonly lastTurns = new Map<string, { by: Player; turn: SubmittedTurn }>();
  private readonly comparisons: Comparisons;
  private latest!: Version;
  private flow_id!: string;

  constructor(
    private readonly table: FlowTable,
    private readonly versions: readonly FlowDefinition[],
  ) {
    this.comparisons = new Comparisons(table);
  }

  async opens(): Promise<void> {
    await this.publishes(this.versions[0]!);
  }

  async plays({ what, dice: numbers }: Step): Promise<void> {
    const dice = new Dice(numbers);
    const open = this.runs.filter((run) => !isOver(run));
    const run = this.runs.length === 0 ? undefined : dice.pick(open.length > 0 && !dice.isOneIn(6) ? open : this.runs);
    const touched = run === undefined ? await this.starts(dice) : await this.happens(what, run, dice);
    for (const id of touched) await this.comparisons.ofRun(this.current({ id }), this.flow_id);
    await this.comparisons.ofAll(this.runs, this.flow_id);
  }

  /** Compares, at the end of the game, what arrives later than a step. */
  ends(): Promise<void> {
    return this.comparisons.ofFirm(this.runs);
  }

  private happens(what: Step['what'], run: RunModel, dice: Dice): Promise<string[]> {
    const steps: Readonly<Record<Step['what'], () => Promise<string[]>>> = {
      start: () => (this.runs.length > 8 ? this.answers(run, dice) : this.starts(dice)),
      'start wrongly': () => this.startsWrongly(dice),
      'start with a mishap': () => this.starts(dice, dice.pick(MISHAPS)),
      answer: () => this.answers(run, dice),
      'answer wrongly': () => this.answersWrongly(run, dice),
      'answer as another': () => this.answersAsAnother(run, dice),
      'answer again': () => this.answersAgain(run),
      'answer twice at once': () => this.answersTwice(run, dice),
      'answer with a mishap': () => this.answers(run, dice, dice.pick(MISHAPS)),
      'answer while it is cancelled': () => this.answersWhileCancelled(run, dice),
      cancel: () => this.cancels(run, dice),
      'cancel with a mishap': () => this.cancels(run, dice, dice.pick(MISHAPS)),
      publish: () => this.publishes(dice.pick(this.versions)),
      reconnect: () => this.reconnects(dice.pick(this.table.customers)),
    };
    return steps[what]();
  }

  /** Publishes a definition. Publishing the already published definition makes no new version. @spec D2-9 */
  private async publishes(definition: FlowDefinition): Promise<string[]> {
    const flow = this.flow_id === undefined ? undefined : { id: this.flow_id };
    const { id } = await this.table.world.acme.flows.publishes(this.table.world.shop.service_id!, { ...definition }, flow);
    this.flow_id = id;
    const before = this.latest as Version | undefined;
    const isNew = before === undefined || !isDeepStrictEqual(before.definition, definition);
    this.latest = isNew ? { version: (before?.version ?? 0) + 1, definition } : before;
    return [];
  }

  // Starts.

  private async starts(dice: Dice, mishap?: Mishap): Promise<string[]> {
    const [key, known] = this.keys.size > 0 && dice.isOneIn(5) ? dice.pick([...this.keys]) : [`key-${this.keys.size}`, undefined];
    const seats = this.seats(dice);
    const body = known?.body ?? this.startOf(seats, key, dice);
    const by = dice.pick(this.table.owners);
    if (mishap) await this.table.with(mishap, by, (at) => this.asksToStart(by, body, at)).catch(lostOnTheWay);
    const { id } = await this.asksToStart(by, body);
    if (known) same('the run of a repeated start', id, known.id);
    else this.runs.push(started(id, this.latest, seats, this.today));
    this.keys.set(key, { body, id });
    return [id];
  }

  private asksToStart(by: Player, body: NewRun, at?: string): Promise<Run> {
    const options = at === undefined ? {} : { at };
    const flowId = this.flow_id;
    if (by === this.table.owners[0]) return by.asks(runs.startRun, { params: { flowId }, body }, options);
    return by.asks(ownerRuns.startOwnRun, { params: { id: this.table.world.shop.service_id!, flowId }, body }, options);
  }

  /** Chooses a customer of the right type for each party. Chance may choose the same one for two parties. */
  private seats(dice: Dice): RunModel['seats'] {
    const [owner] = this.table.owners;
    return this.latest.definition.parties.map(({ key: party, type }) => {
      const { user_id, connection_id } = type === 'owner' ? owner! : dice.pick(this.table.customers.filter((one) => one.type === type));
      return { party, user_id, connection_id };
    });
  }

  /** Returns the body of a start. When one customer plays all customer parties, it is sometimes named only once. @spec D2-4.1 */
  private startOf(seats: RunModel['seats'], idempotency_key: string, dice: Dice): NewRun {
    const customers = seats.flatMap(({ party, connection_id }) => (connection_id === null ? [] : [{ party, connection_id }]));
    const [first] = customers;
    const isOne = customers.every(({ connection_id }) => connection_id === first!.connection_id);
    const targets = Object.fromEntries(customers.map(({ party, connection_id }) => [party, { connection_id }]));
    const bound = isOne && dice.isOneIn(2) ? { target: { connection_id: first!.connection_id } } : { targets };
    return { ...bound, idempotency_key, ...(dice.isOneIn(2) && { flow_version: this.latest.version }) };
  }

  /** Starts a run with one mistake. The platform must write nothing. @spec D2-4.1 */
  private async startsWrongly(dice: Dice): Promise<string[]> {
    const { idempotency_key: _, ...body } = this.startOf(this.seats(dice), '', dice);
    const customer = this.latest.definition.parties.find(({ type }) => type !== 'owner')!;
    const other = this.table.customers.find(({ type }) => type !== customer.type)!;
    const named = (connection_id: string) => ({ targets: { ...body.targets, [customer.key]: { connection_id } } });
    const wrong: readonly [ErrorKey, NewRun][] = [
      ['flows.bindings_invalid', {}],
      ['flows.bindings_invalid', named(other.connection_id)],
      ['flows.connection_not_found', { target: { connection_id: 'conn_nowhere' } }],
      ['flows.version_changed', { ...body, flow_version: this.latest.version + 1 }],
    ];
    const [key, start] = dice.pick(wrong);
    const outcome = await outcomeOf(this.asksToStart(dice.pick(this.table.owners), start));
    same('a wrong start', outcome, key);
    return [];
  }

  // Turns.

  private async answers(run: RunModel, dice: Dice, mishap?: Mishap): Promise<string[]> {
    const by = this.playerOf(awaited(run) ?? run.seats[0]!, dice);
    const turn = await this.turnOf(run, by, dice, { withFiles: awaited(run) !== undefined });
    if (mishap) await this.submitsWith(mishap, run, by, turn);
    return this.submits(this.current(run), by, turn);
  }

  private async answersAgain(run: RunModel): Promise<string[]> {
    const last = this.lastTurns.get(run.id);
    return last ? this.submits(run, last.by, last.turn) : [];
  }

  private async answersAsAnother(run: RunModel, dice: Dice): Promise<string[]> {
    const by = dice.pick([...this.table.owners, ...this.table.customers]);
    const isTurn = awaited(run)?.connection_id === by.connection_id;
    return this.submits(run, by, await this.turnOf(run, by, dice, { withFiles: isTurn }));
  }

  private async answersWrongly(run: RunModel, dice: Dice): Promise<string[]> {
    if (!awaited(run)) return this.answers(run, dice);
    const by = this.playerOf(awaited(run)!, dice);
    const turn = await this.turnOf(run, by, dice, { withFiles: false });
    const [fault, wrong] = this.spoils(run, turn, dice);
    return this.submits(run, by, wrong, fault);
  }

  /** Puts one mistake into a turn, and returns it with the refusal that it must get. @spec D2-7 */
  private spoils(run: RunModel, turn: SubmittedTurn, dice: Dice): [ErrorKey, SubmittedTurn] {
    const [first, ...others] = turn.answers;
    const lost = dice.pick([{ next_node: run.node! }, { next_node: 'nowhere' }, ...(waysOn(run).length > 0 ? [{ leaf: true }] : [])]);
    const nowhere: [ErrorKey, SubmittedTurn] = ['flows.next_node_invalid', { answers: turn.answers, ...lost }];
    if (!first) return nowhere;
    const say = (change: Partial<typeof first>): SubmittedTurn => ({ ...turn, answers: [{ ...first, ...change }, ...others] });
    const [copy, ...copies] = first.values;
    return dice.pick<[ErrorKey, SubmittedTurn]>([
      nowhere,
      ['flows.answer_party_missing', say({ values: copies })],
      ['flows.answer_party_invalid', say({ values: [...first.values, { ...copy!, for_user_id: 'usr_nobody' }] })],
      ['flows.answer_party_invalid', say({ values: [...first.values, copy!] })],
      ['flows.answer_invalid', say({ slug: 'no_question' })],
      ['flows.answer_invalid', { ...turn, answers: [...turn.answers, first] }],
      ['contact_data.encryption_required', say({ values: [{ ...copy!, value: 'in the clear' as never }, ...copies] })],
    ]);
  }

  /** Submits two turns at once. One must win, and the other must be answered as if it had come later. @spec D2-4.2 */
  private async answersTwice(run: RunModel, dice: Dice): Promise<string[]> {
    if (!awaited(run)) return this.answers(run, dice);
    const by = this.playerOf(awaited(run)!, dice);
    const turns = [await this.turnOf(run, by, dice, { withFiles: false }), await this.turnOf(run, by, dice, { withFiles: false })];
    const outcomes = await Promise.all(turns.map((turn) => outcomeOf(by.side(this.flow_id).answer(run.id, turn))));
    const isFollowed = refusalOf(afterTurn(run, turns[0]!), by, turns[1]!) === undefined;
    const first = outcomes[0] === 'taken' && (outcomes[1] !== 'taken' || isFollowed) ? 0 : 1;
    same('the first of two submits', outcomes[first], 'taken');
    this.takes(run, by, turns[first]!);
    const [now, second] = [this.current(run), turns[1 - first]!];
    same('the second of two submits', outcomes[1 - first], refusalOf(now, by, second) ?? 'taken');
    if (outcomes[1 - first] === 'taken') this.takes(now, by, second);
    return [run.id];
  }

  private async answersWhileCancelled(run: RunModel, dice: Dice): Promise<string[]> {
    if (!awaited(run)) return this.cancels(run, dice);
    const by = this.playerOf(awaited(run)!, dice);
    const turn = await this.turnOf(run, by, dice, { withFiles: false });
    const [answered, cancelled] = await Promise.all([
      outcomeOf(by.side(this.flow_id).answer(run.id, turn)),
      outcomeOf(this.asksToCancel(dice.pick(this.table.owners), run)),
    ]);
    if (answered === 'taken') this.takes(run, by, turn);
    else same('a turn of a cancelled run', answered, 'flows.run_not_awaiting');
    same('a cancel', cancelled, isOver(this.current(run)) ? 'flows.run_not_awaiting' : 'taken');
    if (cancelled === 'taken') this.moves(afterCancel(this.current(run)));
    return [run.id];
  }

  private async submits(run: RunModel, by: Player, turn: SubmittedTurn, fault?: ErrorKey): Promise<string[]> {
    const expected = refusalOf(run, by, turn, fault);
    same('a turn', await outcomeOf(by.side(this.flow_id).answer(run.id, turn)), expected ?? 'taken');
    if (expected === undefined) this.takes(run, by, turn);
    return [run.id];
  }

  /** Submits a turn with a mishap. The platform must accept all of it or nothing, and the run shows which. */
  private async submitsWith(mishap: Mishap, run: RunModel, by: Player, turn: SubmittedTurn): Promise<void> {
    const outcome = await outcomeOf(this.table.with(mishap, by, (at) => by.side(this.flow_id).answer(run.id, turn, { at })));
    const refusal = refusalOf(run, by, turn);
    if (outcome === 'taken') same('a turn', refusal, undefined);
    else if (outcome !== 'unknown') return same('a turn with a mishap', outcome, refusal ?? 'taken');
    if (refusal === undefined && (outcome === 'taken' || (await this.isTaken(run, afterTurn(run, turn))))) this.takes(run, by, turn);
  }

  private async isTaken(run: RunModel, after: RunModel): Promise<boolean> {
    const [service] = this.table.owners;
    const read = await untilAnswered(() => service!.side(this.flow_id).read(run.id));
    if (isDeepStrictEqual(ofRun(read), ofModel(after))) return true;
    same(`run ${run.id} after a mishap`, ofRun(read), ofModel(run));
    return false;
  }

  private async cancels(run: RunModel, dice: Dice, mishap?: Mishap): Promise<string[]> {
    const by = dice.pick(this.table.owners);
    if (mishap) {
      const outcome = await outcomeOf(this.table.with(mishap, by, (at) => this.asksToCancel(by, run, at)));
      if (!isOver(run) && (outcome === 'taken' || (outcome === 'unknown' && (await this.isTaken(run, afterCancel(run))))))
        this.moves(afterCancel(run));
    }
    const now = this.current(run);
    const expected = isOver(now) ? 'flows.run_not_awaiting' : 'taken';
    same('a cancel', await outcomeOf(this.asksToCancel(by, run)), expected);
    if (expected === 'taken') this.moves(afterCancel(now));
    return [run.id];
  }

  private asksToCancel(by: Player, { id: runId }: RunModel, at?: string): Promise<Run> {
    const options = at === undefined ? {} : { at };
    if (by === this.table.owners[0]) return by.asks(runs.cancelRun, { params: { runId } }, options);
    const params = { id: this.table.world.shop.service_id!, flowId: this.flow_id, runId };
    return by.asks(ownerRuns.cancelOwnRun, { params }, options);
  }

  /** Ends a customer's connection and connects again. The runs of the old connection end with it. @spec D2-3 */
  private async reconnects(customer: CustomerPlayer): Promise<string[]> {
    const { connection_id } = customer;
    await customer.reconnects();
    const ended = this.runs.filter((run) => !isOver(run) && run.seats.some((seat) => seat.connection_id === connection_id));
    for (const run of ended) this.moves(afterCancel(run));
    return ended.map(({ id }) => id);
  }

  /** Returns a turn: answers to some questions of the step, sealed for all parties, and the next node. */
  private async turnOf(run: RunModel, by: Player, dice: Dice, { withFiles }: { withFiles: boolean }): Promise<SubmittedTurn> {
    const node = run.node ?? run.definition.entry;
    const here = { ...run, node };
    const questions = questionsOf(here).filter(() => !dice.isOneIn(4));
    const texts = questions.filter(({ type }) => !isFile(type));
    const party_keys = Object.fromEntries(usersOf(run).map((user) => [user, this.keyOf(user)]));
    const answers = await sealedFor(
      party_keys,
      Object.fromEntries(texts.map(({ slug }) => [slug, { text: `${slug} of ${node}`, source_private: dice.isOneIn(4) }])),
    );
    const files = withFiles
      ? await Promise.all(questions.filter(({ type }) => isFile(type)).map(({ slug }) => this.uploads(run, by, slug)))
      : [];
    const ways = waysOn(here);
    const onward = ways.length > 0 ? { next_node: dice.pick(ways) } : { leaf: true };
    return { answers: [...answers, ...files], ...onward } as SubmittedTurn;
  }

  private async uploads(run: RunModel, by: Player, slug: string) {
    const copies = usersOf(run).map(async (for_user_id) => {
      const [answer] = await sealedFor({ [for_user_id]: this.keyOf(for_user_id) }, { [slug]: `file for ${for_user_id}` });
      const { file } = await by.side(this.flow_id).upload(run.id, { slug, for_user_id, value: answer!.values[0]!.value as never });
      return { for_user_id, value: JSON.stringify({ _enc_file: file }) };
    });
    return { slug, values: await Promise.all(copies), source_private: false };
  }

  private takes(run: RunModel, by: Player, turn: SubmittedTurn): void {
    this.lastTurns.set(run.id, { by, turn });
    this.moves(afterTurn(run, turn));
  }

  private moves(run: RunModel): void {
    if (run.status === 'completed') this.shares(run);
    this.runs[this.runs.findIndex(({ id }) => id === run.id)] = run;
  }

  private shares(run: RunModel): void {
    for (const [connection_id, slug, value] of sharedBy(run)) {
      if (!REQUEST_ROWS.some((row) => row.slug === slug)) continue;
      const known = this.table.shared.get(connection_id) ?? new Map<string, string>();
      this.table.shared.set(connection_id, known.set(slug, value));
    }
  }

  private current({ id }: Pick<RunModel, 'id'>): RunModel {
    return this.runs.find((run) => run.id === id)!;
  }

  private playerOf({ connection_id }: Seat, dice: Dice): Player {
    return this.table.customers.find((one) => one.connection_id === connection_id) ?? dice.pick(this.table.owners);
  }

  private keyOf(user: string): string {
    return [...this.table.owners, ...this.table.customers].find(({ user_id }) => user_id === user)!.public_key;
  }

  private get today(): string {
    return this.table.world.now.toISOString().slice(0, 10);
  }
}

const isFile = (type: string): boolean => type === 'document' || type === 'pdf_document';

async function outcomeOf(reply: Promise<unknown>): Promise<Outcome> {
  try {
    await reply;
    return 'taken';
  } catch (error) {
    if (isTransient(error)) return 'unknown';
    if (error instanceof Refusal) return error.key;
    throw error;
  }
}

const lostOnTheWay = (error: unknown): void => {
  if (!isTransient(error)) throw error;
};
