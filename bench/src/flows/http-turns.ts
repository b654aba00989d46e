import { Agent, request } from 'undici';
import type { Sample } from '../harness/bench.ts';
import type { BenchRun, FlowsStack } from './flows-stack.ts';
import { TURNS, type TurnKind } from './turns.ts';

const AT_ONCE = 16;

/** Plays whole runs of three turns each, by the routes of their parties. */
export class HttpTurns {
  private readonly agent = new Agent({ connections: AT_ONCE });

  constructor(private readonly stack: FlowsStack) {}

  async run(seconds: number): Promise<Sample> {
    return playRuns(this.stack, seconds, (run, turn) => this.submit(run, turn));
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private async submit({ run_id, person }: BenchRun, { party, body }: TurnKind): Promise<void> {
    const { url, token, company_user_id } = this.stack.shop;
    const isOwn = party === 'company';
    const path = isOwn ? `/api/company-data/flow-runs/${run_id}` : `/api/company-connections/${person.connection_id}/flow-runs/${run_id}`;
    const answer = await request(`${url}${path}/answers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${isOwn ? token : person.token}`, 'content-type': 'application/json' },
      body: body(this.stack.sealed, [company_user_id, person.user_id]),
      dispatcher: this.agent,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`a turn was answered with ${answer.statusCode}: ${text}`);
  }
}

/** Plays prepared runs until the time is over: several players each play one run after the other. Only turns are counted. */
export async function playRuns(
  stack: FlowsStack,
  seconds: number,
  submit: (run: BenchRun, turn: TurnKind) => Promise<void>,
): Promise<Sample> {
  const runs = await stack.runs(MAX_RUNS_A_SECOND * Math.ceil(seconds));
  const [latencies, start]: [number[], number] = [[], performance.now()];
  const player = async () => {
    for (let run = runs.pop(); run && performance.now() - start < seconds * 1000; run = runs.pop())
      for (const turn of TURNS) {
        const begun = performance.now();
        await submit(run, turn);
        latencies.push(performance.now() - begun);
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, player));
  if (runs.length === 0) throw new Error('All runs were played before the time was over: make more of them.');
  return { operations: latencies.length, seconds: (performance.now() - start) / 1000, latencies };
}
const MAX_RUNS_A_SECOND = 600;
