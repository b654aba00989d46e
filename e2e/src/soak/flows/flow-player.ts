import { setTimeout as pause } from 'node:timers/promises';
import type { CodaseClient } from '@codase/client';
import { Refusal, type CustomerRun } from '@codase/contracts';
import type { OwnConnection, Person } from '@codase/testing';
import { ANSWER_TIMEOUT_MS } from '../until-answered.ts';

/** A run whose start is confirmed. */
export interface StartedRun {
  id: string;
  quantity: number;
  person: Person;
  connection: OwnConnection;
  hasScan: boolean;
}

interface FlowPlayerOptions {
  person: Person;
  connection: OwnConnection;
  /** The company's own service, which starts the runs. */
  codase: CodaseClient;
  flow_id: string;
  pauseMs: number;
  hasScan: boolean;
  /** Repeats a request until there is an answer. `kind` names the request. */
  untilAnswered<T>(kind: string, ask: () => Promise<T>): Promise<T>;
  say(line: string): void;
}

type Node = 'ask' | 'price_check' | 'agree';

const CHECK_MS = 200;
/** The refusals of a turn that was accepted already, by a request whose answer was lost. */
const TAKEN = ['flows.not_your_turn', 'flows.run_not_awaiting'];

/** A customer who plays runs of the order flow with the company's own service, one after the other. */
export class FlowPlayer {
  readonly started: StartedRun[] = [];
  finished = 0;

  constructor(private readonly options: FlowPlayerOptions) {}

  async playsUntil(isOver: () => boolean): Promise<void> {
    for (; !isOver(); await pause(this.options.pauseMs)) await this.plays();
  }

  async plays(): Promise<void> {
    const run = await this.starts();
    await this.answersAt('ask', run);
    if (!(await this.reaches('agree', run))) return this.options.say(`run ${run.id} does not go on`);
    await this.answersAt('agree', run);
    this.finished += 1;
  }

  /** Starts a run, with the same idempotency key for every attempt. */
  private async starts(): Promise<StartedRun> {
    const { person, connection, codase, flow_id, hasScan } = this.options;
    const quantity = this.started.length + 1;
    const key = `${person.user_id}-${quantity}`;
    const targets = { customer: { connection_id: connection.id } };
    const { flow_run_id: id } = await this.options.untilAnswered('start of a run', () => codase.flows.start(flow_id, { key, targets }));
    const run = { id, quantity, person, connection, hasScan };
    this.started.push(run);
    return run;
  }

  private answersAt(node: Node, run: StartedRun): Promise<void> {
    return this.options.untilAnswered(`answers of a customer`, async () => {
      if ((await this.reads(run)).current_node === node) await this.submits(node, run);
    });
  }

  private async submits(node: Node, { id, quantity }: StartedRun): Promise<void> {
    const { person, connection, hasScan } = this.options;
    const isOrder = node === 'ask';
    const scans = isOrder && hasScan ? [await person.flows.attaches(connection, { id }, 'scan', scanOf(quantity))] : [];
    const submitted = isOrder
      ? person.flows.answers(connection, { id }, { quantity: String(quantity) }, { next_node: 'price_check' }, scans)
      : person.flows.answers(connection, { id }, { agrees: 'yes' }, { leaf: true });
    await submitted.catch((error: unknown) => {
      if (!(error instanceof Refusal && TAKEN.includes(error.key))) throw error;
    });
  }

  private async reaches(node: Node, run: StartedRun): Promise<boolean> {
    const deadline = performance.now() + ANSWER_TIMEOUT_MS;
    for (; performance.now() < deadline; await pause(CHECK_MS)) {
      const { current_node } = await this.options.untilAnswered('run of a customer', () => this.reads(run));
      if (current_node === node) return true;
    }
    return false;
  }

  private reads({ id }: StartedRun): Promise<CustomerRun> {
    return this.options.person.flows.reads(this.options.connection, { id });
  }
}

export const scanOf = (quantity: number): string => `scan ${quantity} ${'x'.repeat(2000)}`;
