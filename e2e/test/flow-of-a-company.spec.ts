import type { FlowDefinition } from '@cds/contracts';
import type { CdsClient } from '@cds/client';
import { collectTelemetry, eventually, forgetTelemetry, World, type OwnConnection, type Person } from '@cds/testing';

const { spans } = collectTelemetry();
const field = (slug: string, type: string, more: object = {}) => ({
  kind: 'field' as const,
  slug,
  label: slug,
  type,
  required: true,
  ...more,
});

/** A customer orders, the company sets the price, the customer agrees. */
const ORDER: FlowDefinition = {
  entry: 'ask',
  output_mode: 'data_only',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    {
      key: 'ask',
      party: 'customer',
      title: 'Your order',
      elements: [{ kind: 'text', text: 'Hello {{customer.first_name}}' }, field('quantity', 'integer')],
    },
    {
      key: 'price_check',
      party: 'company',
      title: 'Price',
      elements: [field('price', 'decimal', { min: { type: 'lit', value_type: 'number', value: 1 } })],
    },
    { key: 'agree', party: 'customer', title: 'Agree', elements: [field('agrees', 'select', { options: ['yes', 'no'] })] },
  ],
  edges: [
    { from: 'ask', to: 'price_check' },
    { from: 'price_check', to: 'agree' },
  ],
  constants: [],
};

describe("a contract flow played by a company's own service @spec D2-4.1 @spec D2-4.2 @spec D2-6", () => {
  let world: World;
  let cds: CdsClient;
  let flow_id: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'decryptor', 'flows'] });
    const service_id = world.shop.service_id!;
    await world.acme.services.publishesRequest(service_id, [{ slug: 'first_name', label: 'First name', type: 'text' }]);
    flow_id = (await world.acme.flows.publishes(service_id, { ...ORDER })).id;
    cds = await world.internalService();
  });
  afterAll(async () => {
    forgetTelemetry();
    await world?.close();
  });

  const connected = async (region: 'eu' | 'us'): Promise<{ person: Person; connection: OwnConnection }> => {
    const person = await world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP', { first_name: 'Ana' }) };
  };

  it.each(['eu', 'us'] as const)('goes from the start to the end, with a person of %s', async (region) => {
    const { person, connection } = await connected(region);
    const asked: unknown[] = [];
    const turns = cds.flows.onTurn<{ price_check: { answers: { quantity?: number }; gives: { price: number } } }>(flow_id, {
      price_check: ({ answers, flow_run_id }) => {
        asked.push({ answers, flow_run_id });
        return { price: 12.5 * (answers.quantity ?? 0) };
      },
    });
    const key = `order-${region}`;
    const targets = { customer: { connection_id: connection.id } };
    const { flow_run_id: id, node } = await cds.flows.start(flow_id, { key, targets });
    expect(node).toBe('ask');
    expect((await cds.flows.start(flow_id, { key, targets })).flow_run_id).toBe(id);
    const { tag_values } = await person.flows.reads(connection, { id });
    // Typed for this connection and in no profile, it counts as private: it is the customer's and the company's alone.
    expect(JSON.parse(await person.opens(tag_values!.private['customer.first_name']!))).toEqual({ v: 'Ana', t: 'text' });

    await person.flows.answers(connection, { id }, { quantity: '3' }, { next_node: 'price_check' });
    const priced = await eventually(async () => {
      const run = await person.flows.reads(connection, { id });
      return run.current_node === 'agree' ? run : undefined;
    });
    await turns.stop();
    const price = priced.answers.find(({ slug }) => slug === 'price')!;
    expect(await person.opens(price.value)).toBe('37.5');
    expect(asked).toEqual([{ answers: { quantity: 3 }, flow_run_id: id }]);

    await person.flows.answers(connection, { id }, { agrees: 'yes' }, { leaf: true });
    expect(await world.shop.flows.reads({ id })).toMatchObject({ status: 'completed' });
  });

  it('is one trace from the start to the last turn of the company', () => {
    const all = spans.getFinishedSpans();
    const submits = all.filter(({ name }) => name === 'submit turn');
    expect(submits.length).toBeGreaterThanOrEqual(2);
    for (const submit of submits) {
      const trace = all.filter((span) => span.spanContext().traceId === submit.spanContext().traceId).map(({ name }) => name);
      expect(trace).toEqual(expect.arrayContaining(['look at run', 'take turn', 'submit turn']));
      expect(trace.some((name) => name.includes('POST /api/company-data/flows/{flowId}/runs'))).toBe(true);
      expect(trace.some((name) => name.includes('POST /api/company-data/flow-runs/{runId}/answers'))).toBe(true);
    }
  });
});
