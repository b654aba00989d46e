import { Agent, request } from 'undici';
import type { Contender } from '../harness/bench.ts';
import type { ShopPerson } from '../harness/shop-persons.ts';
import { quantile } from '../harness/statistics.ts';

export interface LoginCalls {
  raise(body: NewLogin): HttpCall;
  approve(challenge_id: string, person: ShopPerson): HttpCall;
  poll(challenge_id: string): HttpCall;
}

interface NewLogin {
  share_code: string;
  idempotency_key: string;
  context: string;
}

interface HttpCall {
  method: 'GET' | 'POST';
  url: string;
  token?: string;
  body?: object;
}

/** The number of simultaneous logins: so few that the duration of a call is measured and not its waiting time. */
const AT_ONCE = 2;
let keys = 0;

/** Runs logins one after the other. Measures the time until a login is pending, and from its approval to its outcome. */
export class Logins {
  private readonly agent = new Agent({ connections: AT_ONCE * 2, pipelining: 1 });
  private requests = 0;

  /** Asks the persons in turn, so that nobody is asked more often than the platform's limits allow. */
  constructor(
    private readonly calls: LoginCalls,
    private readonly persons: readonly ShopPerson[],
  ) {}

  readonly run: Contender<unknown> = async ({ seconds }) => {
    const [raised, outcomes]: [number[], number[]] = [[], []];
    const until = performance.now() + seconds * 1000;
    const worker = async () => {
      while (performance.now() < until) await this.login(raised, outcomes);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const figures = { raise_p50_ms: quantile(raised, 0.5), raise_p99_ms: quantile(raised, 0.99) };
    return {
      operations: raised.length,
      figures: { ...figures, outcome_p50_ms: quantile(outcomes, 0.5), outcome_p99_ms: quantile(outcomes, 0.99) },
    };
  };

  close(): Promise<void> {
    return this.agent.close();
  }

  private async login(raised: number[], outcomes: number[]): Promise<void> {
    const person = this.persons[this.requests++ % this.persons.length]!;
    const begun = performance.now();
    const body = { share_code: person.share_code, idempotency_key: `login-${++keys}`, context: 'Sign-in from Bern' };
    const { challenge_id } = await this.call(this.calls.raise(body));
    raised.push(performance.now() - begun);
    const tapped = performance.now();
    await this.call(this.calls.approve(challenge_id!, person));
    const { status } = await this.call(this.calls.poll(challenge_id!));
    outcomes.push(performance.now() - tapped);
    if (status !== 'approved') throw new Error(`A login ended as ${status}: a time would mean nothing.`);
  }

  private async call({ method, url, token, body }: HttpCall): Promise<Record<string, string>> {
    const headers = { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await request(url, { method, headers, body: body ? JSON.stringify(body) : null, dispatcher: this.agent });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${method} ${url} answered ${answer.statusCode}: ${text}`);
    return JSON.parse(text) as Record<string, string>;
  }
}
