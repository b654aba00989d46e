import { setTimeout as pause } from 'node:timers/promises';
import { connect, type CodaseClient } from '@codase/client';
import { contactData, webhooks } from '@codase/contracts';
import { emit, type NewEvent } from '@codase/platform';
import { silentLog } from '@codase/runtime/telemetry';
import { DEMO, demoActors, frontDoorUrl } from '@codase/stack';
import type { DataSource } from 'typeorm';
import { Agent, request } from 'undici';
import { openBenchDatabase, statementsOn } from '../harness/database.ts';
import type { PipelineStack } from '../pipeline/pipeline-stack.ts';
import { Endpoint } from '../webhooks/endpoint.ts';
import type { Activity } from './costs.ts';

const HOOKED = 'ser_capacity';
/** How long the endpoint takes to answer, like one nearby. */
const ANSWER_MS = 2;

type Load = (times: number) => Promise<unknown>;

/** All activities on the stack, each done as its users do it. */
export class Loads {
  private numbered = 0;

  private constructor(
    private readonly pipeline: PipelineStack,
    private readonly owner: DataSource,
    private readonly endpoint: Endpoint,
    private readonly client: CodaseClient,
    private readonly agent: Agent,
    readonly of: Readonly<Record<Activity, Load>>,
  ) {}

  static async open(pipeline: PipelineStack): Promise<Loads> {
    const { settings } = pipeline.stack;
    const actors = await demoActors(settings.ports, settings.secrets);
    const [endpoint, agent] = [await Endpoint.open(), new Agent({ connections: 8 })];
    const owner = await openBenchDatabase(settings.databases.region_eu.owner, 2);
    await addService(owner);
    const body = { url: endpoint.answering(200, ANSWER_MS), auth_type: 'none' as const };
    await actors.company('ACME').asks(webhooks.createWebhook, { params: { id: HOOKED }, body });
    const { user = '', password = '' } = settings.nats.credentials(DEMO.consumer);
    const client = await connect({ url: settings.nats.url, user, password, service: DEMO.service, log: silentLog });
    const credentials = pipeline.stack.shopClient;
    const tokenUrl = `${frontDoorUrl(settings.ports)}/oauth2/token`;
    const ana = actors.person('ANA');
    const edit = () =>
      ana.asks(contactData.putContactData, {
        params: { slug: 'phone' },
        body: { value: pipeline.sealed[0]!, is_private: true, copies: [] },
      });
    const loads: Loads = new Loads(pipeline, owner, endpoint, client, agent, {
      // One by one, because several simultaneous changes of a person are refused.
      edit: async (times) => {
        for (let nth = 0; nth < times; nth += 1) await edit();
      },
      event: (times) => pipeline.emit(times),
      webhook: (times) => loads.emitHooked(times),
      token: (times) => Promise.all(Array.from({ length: times }, () => askToken(agent, tokenUrl, credentials))),
      open: (times) => client.open(Array.from({ length: times }, () => ({ value: pipeline.sealed[0]! }))),
    });
    return loads;
  }

  /** Does the activities at these rates, and waits until all are done. Returns how many there were, and how long it took. */
  async run(perSecond: Partial<Record<Activity, number>>, seconds: number): Promise<{ done: Record<Activity, number>; seconds: number }> {
    const [handled, { delivered }, start] = [await this.pipeline.effects.count(), await this.endpoint.seen(), performance.now()];
    const done = { edit: 0, event: 0, webhook: 0, token: 0, open: 0 };
    await Promise.all(
      Object.entries(perSecond).map(async ([name, rate]) => {
        done[name as Activity] = await paced(this.of[name as Activity], rate, seconds);
      }),
    );
    await this.pipeline.effects.atLeast(handled + done.event);
    await this.endpoint.seen(delivered + done.webhook);
    return { done, seconds: (performance.now() - start) / 1000 };
  }

  async close(): Promise<void> {
    await Promise.all([this.client.close(), this.owner.destroy(), this.agent.destroy()]);
    await this.endpoint.close();
  }

  private emitHooked(times: number): Promise<void> {
    const events = Array.from({ length: times }, () => hookedEvent((this.numbered += 1)));
    return this.owner.transaction((tx) => emit(tx, events)).then(() => undefined);
  }
}

const hookedEvent = (number: number): NewEvent => ({
  company_user_id: DEMO.keys.account,
  service_id: HOOKED,
  event: {
    event: 'flow_run_turn',
    person_user_id: 'usr_ana',
    share_code: 'ANA',
    at: new Date().toISOString(),
    flow_run_id: String(number),
    awaiting_party: 'company',
  },
});

/** Adds a second service of the demo's company, whose events nobody drains. */
const addService = (owner: DataSource) => statementsOn(owner)`
  insert into service (service_id, company_user_id, name, share_code, public_key, created_at)
  values (${HOOKED}, ${DEMO.keys.account}, 'Capacity', 'CAPACITY', '', now())`;

/** Runs a load at a constant rate. Work that became due while the machine was busy is done at once. */
async function paced(load: Load, perSecond: number, seconds: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < seconds * 1000) {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond) - done;
    if (due > 0) await load(due);
    done += Math.max(0, due);
    await pause(10);
  }
  return done;
}

async function askToken(dispatcher: Agent, url: string, credentials: Record<string, string>): Promise<void> {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ grant_type: 'client_credentials', ...credentials })),
    dispatcher,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`a token was refused with ${answer.statusCode}: ${text}`);
}
