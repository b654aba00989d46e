import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { registerTracing } from '@codase/runtime/telemetry/register-tracing';
import { companyData, FEED, OPEN_PAYLOAD, OPEN_VALUES, type Sealed } from '@codase/contracts';
import { edgesOf, eventually, forgetTelemetry, World, type Person } from '@codase/testing';
import type { UnitName } from '@codase/stack';
import { asksFor, MAIL } from './asks-for.ts';
import { inMemoryInbox } from './in-memory-inbox.ts';
import { takesDeliveries } from './webhook-channel.ts';

const PUT = 'PUT /api/contact-data/{slug}';
const HANDLE = `process ${FEED.pattern}`;
const OPEN = OPEN_VALUES.pattern;

const COUNTED: Partial<Record<UnitName, string[]>> = {
  'region-eu': ['codase_feed_drained_total', 'http_server_request_duration_seconds_bucket', 'codase_db_pool_connections'],
  delivery: ['codase_webhook_delivery_duration_seconds_bucket', 'codase_webhook_backlog_age_seconds'],
  gateway: ['codase_gateway_token_renewals_total'],
  'feed-consumer': [
    'codase_feed_received_total',
    'codase_feed_published_total',
    'codase_feed_spool_age_seconds',
    'codase_feed_stream_size_bytes',
    'codase_feed_stream_limit_bytes',
    'codase_feed_group_pending',
    'codase_feed_group_age_seconds',
    'codase_leases_held',
  ],
  decryptor: [
    'codase_decryptor_opened_total',
    'codase_decryptor_keys',
    'codase_ready',
    'codase_build_info',
    'process_cpu_time_seconds_total',
  ],
};

/** One stack for both groups of tests. The feed consumer, which asks the gateway by itself, is started for the second group. */
let world: World;
beforeAll(async () => {
  world = await World.open({ processes: 'many', traces: true, units: ['front-door', 'region-eu', 'delivery', 'gateway', 'decryptor'] });
});
afterAll(() => world?.close());

describe('the trace of a request', () => {
  it('crosses the gateway and the platform without a gap', async () => {
    const internal = await world.internalService();
    await internal.request(companyData.whoami, {});

    const edges = [
      'gateway: GET /api/company-data/whoami (client) > region-eu: GET /api/company-data/whoami (server)',
      'gateway: POST /oauth2/token (client) > front-door: POST /oauth2/token (server)',
      'gateway: process codase.gateway.v1.{service}.whoami (server) > gateway: GET /api/company-data/whoami (client)',
      'gateway: process codase.gateway.v1.{service}.whoami (server) > gateway: POST /oauth2/token (client)',
      'region-eu: GET /api/company-data/whoami (server) > region-eu: pg.query:rate_bucket_take (client)',
    ];
    // On a slow machine the client asks a second time, in a trace of its own. That request waits for the token of the first.
    const found = await eventually(async () =>
      tracesOf('process codase.gateway.v1.{service}.whoami').find((one) => one.length >= edges.length),
    );

    expect(found).toEqual(edges);
  });

  it('contains nothing beyond the closed list: no token, no secret, no statement', async () => {
    const { shop } = world;
    const routes = ['POST /oauth2/token', 'GET /api/company-data/whoami'];
    const before = routes.map((route) => tracesOf(route).length);
    const { access_token } = await shop.getsToken();
    await shop.asksWhoami();

    await eventually(async () => routes.every((route, i) => tracesOf(route).length > before[i]!) || undefined);
    const everything = JSON.stringify(world.traces!.all);

    expect(world.traces!.all.length).toBeGreaterThan(5);
    expect(everything).not.toContain(access_token);
    expect(everything).not.toContain(shop.client_secret);
    expect(everything).not.toMatch(/select/);
  });

  /** The edge without the database's name, which differs in each world. */
  const withoutDatabase = (edge: string) => edge.replace(/ w_\w+/, '');

  /** The edges of each trace with a server span of this name, as far as they have come: spans leave in batches. */
  const tracesOf = (name: string) =>
    world
      .traces!.all.filter((span) => span.name === name && span.kind === 'server')
      .map(({ trace_id }) => edgesOf(world.traces!.trace(trace_id)).map(withoutDatabase).sort());
});

/** Ana's phone and the company's handler are in this process and have one name on the spans; all the rest are processes of their own. */
describe("the trace of a person's edit", () => {
  let ana: Person;
  let spans: TracerProvider;
  const heard: string[] = [];
  beforeAll(async () => {
    await world.starts('feed-consumer');
    const exporter = new OTLPTraceExporter({ url: `${world.traces!.url}/v1/traces` });
    spans = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'here' }),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    forgetTelemetry();
    registerTracing(spans);
    await asksFor(world, [MAIL]);
    ana = world.person('ANA');
    await ana.fields.edits('email', 'ana@lind.example');
    await ana.connections.connects('ACME/SHOP', { mail: { text: 'ana@lind.example', from: 'email' } });
    const shop = await world.internalService();
    await shop.handle('customers', inMemoryInbox(), {
      field_updated: async ({ value }, { open }) => void heard.push((await open({ value: value as Sealed })).plaintext),
    });
  });
  afterAll(async () => {
    forgetTelemetry();
    await spans?.shutdown();
  });

  const edit = `here: ${PUT} (client) > region-eu: ${PUT} (server)`;
  const handling = [
    `here: ${HANDLE} (consumer) > here: send ${OPEN} (client)`,
    `here: send ${OPEN} (client) > decryptor: process ${OPEN} (server)`,
  ];

  it('leads from the edit directly to the handler when the feed is drained', async () => {
    const edges = [edit, `region-eu: ${PUT} (server) > here: ${HANDLE} (consumer)`, ...handling];

    expect(await edgesOfEdit('one@lind.example', edges.length)).toEqual(edges.toSorted());
  });

  it('includes the delivery when a webhook delivers the event', async () => {
    await takesDeliveries(world);

    const edges = [
      edit,
      `region-eu: ${PUT} (server) > delivery: deliver webhook (client)`,
      'delivery: deliver webhook (client) > feed-consumer: POST /hooks/{service} (server)',
      `feed-consumer: POST /hooks/{service} (server) > feed-consumer: send ${OPEN_PAYLOAD.pattern} (client)`,
      `feed-consumer: send ${OPEN_PAYLOAD.pattern} (client) > decryptor: process ${OPEN_PAYLOAD.pattern} (server)`,
      `feed-consumer: POST /hooks/{service} (server) > here: ${HANDLE} (consumer)`,
      ...handling,
    ];

    expect(await edgesOfEdit('two@lind.example', edges.length)).toEqual(edges.toSorted());
  });

  it('is counted in Prometheus metrics at every step', async () => {
    const reported = await Promise.all(
      Object.entries(COUNTED).map(async ([unit, names]) => {
        const metrics = await (await fetch(`${world.opsUrl(unit as UnitName)}/metrics`)).text();
        return [unit, names.filter((name) => metrics.includes(name))];
      }),
    );

    expect(Object.fromEntries(reported)).toEqual(COUNTED);
  });

  /** The edges of the trace that an edit begins, without statements of the databases, once there are `most` of them. */
  async function edgesOfEdit(text: string, most: number): Promise<string[]> {
    const before = new Set(edits().map(({ trace_id }) => trace_id));
    await ana.fields.edits('email', text);
    await eventually(async () => (heard.at(-1) === text ? text : undefined));
    const first = await eventually(async () => edits().find(({ trace_id }) => !before.has(trace_id)));
    const edges = () => edgesOf(world.traces!.trace(first.trace_id)).filter((edge) => !edge.includes('pg.query'));
    await eventually(async () => edges().length >= most || undefined);
    return edges().toSorted();
  }

  const edits = () => world.traces!.all.filter(({ name, kind, service }) => name === PUT && kind === 'client' && service === 'here');
});
