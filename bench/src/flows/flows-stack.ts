import type { FlowDefinition, Sealed } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { DEMO, demoActors, regionUrl, type UnitName } from '@codase/stack';
import type { DataSource } from 'typeorm';
import { BenchStack } from '../harness/bench-stack.ts';
import type { Cores } from '../harness/cores.ts';
import { openBenchDatabase, statementsOn } from '../harness/database.ts';
import type { ServerProcess } from '../harness/server-process.ts';
import { addShopPersons, type ShopPerson } from '../harness/shop-persons.ts';

/** The number of customers: enough that turns do not wait for each other, since those of one customer run one after the other. */
const PERSONS = 500;
const MAX_MADE_AT_ONCE = 500;
const ANSWER = '{"street":"Storgatan 1","postal_code":"211 34","city":"Malmö","country":"SE"}';

export interface BenchRun {
  run_id: string;
  person: ShopPerson;
}

interface FlowsStackOptions {
  port: number;
  units: readonly UnitName[];
  /** The number of questions in the customer's first step. */
  fields: number;
  cores?: Partial<Record<UnitName, Cores>>;
  /** The units that report the memory they hold. */
  memoryOf?: readonly UnitName[];
}

const field = (slug: string) => ({ kind: 'field' as const, slug, label: slug, type: 'text', required: false });
const slugOf = (nth: number) => `answer_${nth + 1}`;

/** Returns a flow in which the customer answers some questions, the company one, and the customer the last. */
const flowOf = (fields: number): FlowDefinition => ({
  entry: 'ask',
  output_mode: 'data_only',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    { key: 'ask', party: 'customer', title: 'Ask', elements: Array.from({ length: fields }, (_, nth) => field(slugOf(nth))) },
    { key: 'check', party: 'company', title: 'Check', elements: [field('price')] },
    { key: 'agree', party: 'customer', title: 'Agree', elements: [field('agrees')] },
  ],
  edges: [
    { from: 'ask', to: 'check' },
    { from: 'check', to: 'agree' },
  ],
  constants: [],
});

/** The demo's shop with a flow, customers and runs. No server waits for the disk, which would hide the difference of both sides. */
export class FlowsStack {
  /** How many turns of the company were made. */
  turns = 0;
  private made = 0;

  private constructor(
    readonly stack: BenchStack,
    readonly processes: ReadonlyMap<UnitName, ServerProcess>,
    readonly region: DataSource,
    readonly shop: { url: string; token: string; company_user_id: string },
    readonly persons: readonly ShopPerson[],
    readonly flow_id: string,
    readonly sealed: Sealed,
    /** The run that was started over HTTP. All others are copies of it. */
    private readonly first: string,
    private readonly fields: number,
  ) {}

  static async open({ port, units, fields, cores = {}, memoryOf = [] }: FlowsStackOptions): Promise<FlowsStack> {
    const stack = await BenchStack.open({
      durable: false,
      port,
      consumer: { services: [DEMO.service], groups: ['customers'] },
    });
    const processes = new Map<UnitName, ServerProcess>();
    for (const unit of units) {
      const on = { hasMemoryProbe: memoryOf.includes(unit), ...(cores[unit] && { cores: cores[unit] }) };
      processes.set(unit, await stack.start(unit, on));
    }
    const { secrets, ports, databases } = stack.settings;
    const region = await openBenchDatabase(databases.region_eu.owner, 8);
    const actors = await demoActors(ports, secrets);
    const [acme, backend] = [actors.company('ACME'), actors.backend(DEMO.client_id)];
    const { id: flow_id } = await acme.flows.publishes(DEMO.keys.shop, { ...flowOf(fields) });
    const persons = await addShopPersons(stack, statementsOn(region), PERSONS);
    const { id } = await backend.flows.starts(flow_id, { target: { connection_id: persons[0]!.connection_id } });
    const { access_token: token } = await backend.getsToken();
    const shop = { url: regionUrl(ports, 'eu'), token, company_user_id: backend.company_user_id };
    const sealed = (await sealValue(await importValuePublicKey(stack.shopPublicKey), ANSWER)) as Sealed;
    return new FlowsStack(stack, processes, region, shop, persons, flow_id, sealed, id, fields);
  }

  /** Makes runs that wait for their customers' first answers, in statements small enough to finish in time on a busy machine. */
  async runs(count: number): Promise<BenchRun[]> {
    const runs: BenchRun[] = [];
    while (runs.length < count) runs.push(...(await this.someRuns(Math.min(count - runs.length, MAX_MADE_AT_ONCE))));
    return runs;
  }

  private async someRuns(count: number): Promise<BenchRun[]> {
    const from = this.made + 1;
    this.made += count;
    const ids = { from, to: this.made, first: this.first, persons: this.persons.length };
    const run = statementsOn(this.region);
    await run`
      insert into flow_run
      select (jsonb_populate_record(r, jsonb_build_object('run_id', 'run_b' || n, 'created_at', now()))).*
        from flow_run r, generate_series(${ids.from}::int, ${ids.to}::int) n where r.run_id = ${ids.first}`;
    await run`
      insert into flow_run_party
      select (jsonb_populate_record(p, jsonb_build_object('run_id', 'run_b' || n, 'run_party_id', p.party_key || '_b' || n)
               || case when p.connection_id is null then '{}'::jsonb
                       else jsonb_build_object('user_id', 'usr_b' || n % ${ids.persons}::int,
                                               'connection_id', 'con_b' || n % ${ids.persons}::int) end)).*
        from flow_run_party p, generate_series(${ids.from}::int, ${ids.to}::int) n where p.run_id = ${ids.first}`;
    return Array.from({ length: count }, (_, nth) => ({
      run_id: `run_b${from + nth}`,
      person: this.persons[(from + nth) % this.persons.length]!,
    }));
  }

  /** Makes runs whose customers have answered, so that the company's turn is next and the feed has the event. */
  async turnsOfCompany(count: number): Promise<void> {
    for (let left = count; left > 0; left -= MAX_MADE_AT_ONCE) await this.someTurns(Math.min(left, MAX_MADE_AT_ONCE));
  }

  private async someTurns(count: number): Promise<void> {
    const runs = await this.runs(count);
    const [from, to] = [this.made - count + 1, this.made];
    await this.region.transaction(async (tx) => {
      const run = statementsOn(tx);
      await run`
        insert into flow_run_answer
          (answer_id, company_user_id, run_id, slug, for_user_id, value, source_private, verification, answered_at)
        select 'ans_b' || n || '_' || f || '_' || u, ${this.shop.company_user_id}, 'run_b' || n, 'answer_' || f,
               case u when 0 then ${this.shop.company_user_id} else 'usr_b' || n % ${this.persons.length}::int end,
               ${this.sealed}, false, '{}', now()
          from generate_series(${from}::int, ${to}::int) n, generate_series(1, ${this.fields}::int) f, generate_series(0, 1) u`;
      await run`
        update flow_run set status = 'awaiting_company', current_node = 'check', last_party = 'customer'
         where run_id = any (${runs.map(({ run_id }) => run_id)})`;
      await run`
        insert into feed_event (channel, company_user_id, service_id, event, created_at, connection_id, body)
        select ${DEMO.keys.shop}, ${this.shop.company_user_id}, ${DEMO.keys.shop}, 'flow_run_turn', now(),
               'con_b' || n % ${this.persons.length}::int,
               json_build_object('event', 'flow_run_turn', 'person_user_id', 'usr_b' || n % ${this.persons.length}::int,
                                 'share_code', 'B' || n % ${this.persons.length}::int, 'at', ${new Date().toISOString()}::text,
                                 'flow_run_id', 'run_b' || n, 'awaiting_party', 'company')
          from generate_series(${from}::int, ${to}::int) n`;
    });
    this.turns += count;
  }

  async close(): Promise<void> {
    await this.region.destroy();
    await this.stack.close();
  }
}
