import { at, FEED, flowAuthoring, RESENT_HEADER, type FlowDefinition } from '@codase/contracts';
import { customerSide, eventually, generates, pdfThatShows, testDatabase, World, type Person, type TestDatabase } from '@codase/testing';
import { freePort } from '@codase/servers';
import { joinShop, ORDER_FLOW, setScene, shopConnection } from '@codase/stack';
import { headers } from '@nats-io/transport-node';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const NOTE = pdfThatShows('To {{place}}');
const NOTE_FILE = { original_name: 'note.pdf', mime_type: 'application/pdf', size: NOTE.length };
/** A flow in which a customer says where to deliver, and both sides sign a note of it. */
const DELIVERY: FlowDefinition = {
  entry: 'where',
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Shop', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    {
      key: 'where',
      party: 'customer',
      title: 'Where to',
      elements: [{ kind: 'field', slug: 'place', label: 'Place', type: 'text', required: true }],
      output: {
        language_party: 'customer',
        documents: [
          {
            output_key: 'note',
            name: 'Delivery note',
            rules: [
              {
                asset_key: 'note',
                languages: 'all',
                signers: [
                  { party: 'customer', action: 'sign' },
                  { party: 'company', action: 'sign' },
                ],
              },
            ],
          },
        ],
      },
    },
  ],
  edges: [],
  constants: [],
};

/** The example as it runs: a process of its own, with the rights of an internal service and an empty database. */
describe('the example shop backend', () => {
  let world: World;
  let database: TestDatabase;
  let pool: pg.Pool;
  let example: ChildProcess;
  let output = '';
  let opsPort = 0;
  let ana: Person;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'decryptor', 'flows'] });
    ana = world.person('ANA');
    await sets();
    const { items } = await world.acme.asks(flowAuthoring.listFlows, { query: { service_id: world.shop.service_id!, limit: 10 } });
    await world.acme.asks(flowAuthoring.deleteFlow, { params: { flowId: items.find(({ name }) => name === ORDER_FLOW)!.id } });
    database = await testDatabase();
    opsPort = await freePort();
    pool = new pg.Pool({ connectionString: database.owner, max: 2 });
    start();
  });
  afterAll(async () => {
    await stop();
    await pool?.end();
    await database?.drop();
    await world?.close();
  });

  const sets = () => setScene({ person: (code) => world.person(code), company: () => world.acme });
  function start(): void {
    const { url, user, password } = world.internalAddress;
    const bus = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password };
    example = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env.PATH, ...bus, DATABASE_URL: database.owner, SERVICE: 'shop', OPS_PORT: String(opsPort) },
    });
    for (const stream of [example.stdout!, example.stderr!]) stream.on('data', (text: Buffer) => (output += text));
  }
  async function stop(): Promise<number | null> {
    if (!example || example.exitCode !== null) return example?.exitCode ?? null;
    const exit = once(example, 'exit');
    for (const sign of ['SIGTERM', 'SIGINT'] as const) example.kill(sign); // a terminal and npm may both ask it to end
    await exit;
    return example.exitCode;
  }
  const tells = (line: string) => eventually(async () => (output.includes(`${line}\n`) ? true : undefined));
  /** The rows once one of them has that value: the example prints a line a moment before it commits the row. */
  const kept = (slug: string, value: unknown) =>
    eventually(async () => {
      const rows = await fields();
      return rows[slug] === value ? rows : undefined;
    });
  const fields = async () => {
    const query = 'select slug, value from customer_field where person_id = $1 and is_shared';
    const { rows } = await pool.query<{ slug: string; value: unknown }>(query, [ana.user_id]);
    return Object.fromEntries(rows.map(({ slug, value }) => [slug, value]));
  };

  it('stores the customers who are connected already', async () => {
    await tells('Ana Lind is a customer: first_name Ana, email ana@lind.example, phone +46 70 174 06 05');
    expect(await kept('first_name', 'Ana')).toEqual({ email: 'ana@lind.example', first_name: 'Ana', phone: '+46 70 174 06 05' });
  });

  it('exposes metrics of what it handles', async () => {
    const answer = await fetch(`http://127.0.0.1:${opsPort}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toMatch(/^codase_client_handled_total\{.*\} [1-9]/m);
  });

  it('reports that it is ready, with the checks behind it', async () => {
    const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`);

    expect([answer.status, await answer.json()]).toEqual([200, { ready: true, checks: { bus: 'ok', customers: 'ok' } }]);
  });

  it('stores a row and prints a line for an edit', async () => {
    await ana.fields.edits('email', 'ana@new.example');

    await tells('Ana Lind changed email: ana@new.example');
    expect(await kept('email', 'ana@new.example')).toEqual({ email: 'ana@new.example', first_name: 'Ana', phone: '+46 70 174 06 05' });
  });

  it('deletes what is no longer shared, and stores it when it is shared again', async () => {
    const connection = (await shopConnection(ana))!;
    await ana.connections.drops(connection, 'phone');
    await tells('Ana Lind no longer shares phone');
    expect(await kept('phone', undefined)).toEqual({ email: 'ana@new.example', first_name: 'Ana' });

    await ana.connections.declines(connection, 'phone');
    await tells('Ana Lind does not want to share phone');

    await ana.connections.shares(connection, { phone: '+46 70 174 06 99' });
    await tells('Ana Lind shares phone: +46 70 174 06 99');
    expect(await kept('phone', '+46 70 174 06 99')).toMatchObject({ email: 'ana@new.example' });
  });

  it("answers a customer's message, and marks it as read", async () => {
    const connection = (await shopConnection(ana))!;
    await ana.messages.writes(connection, 'Do you ship to Malmö?');

    await tells('Ana Lind wrote: Do you ship to Malmö?');
    const [answer, question] = await eventually(async () => {
      const listed = await ana.messages.lists(connection);
      return listed.length === 2 && listed.every(({ from, read_at }) => from === 'company' || read_at !== null) ? listed : undefined;
    });
    expect(await ana.opens(answer!.body)).toBe('Thank you for your message of 21 characters. We answer within a day.');
    expect(question).toMatchObject({ from: 'person', read_at: expect.any(String) });
  });

  it('sends a contract to a new customer, and stores the sealed copy after it is signed', async () => {
    const contract = await eventually(async () => (await ana.documents.list({ status: 'ready_to_sign' }))[0]);
    const { value } = (await ana.documents.fetches(contract)) as { value: string };
    const { file, original_name } = JSON.parse(await ana.opens(value)) as { file: string; original_name: string };
    const pdf = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
    expect([contract.kind, original_name, pdf.subarray(0, 5).toString()]).toEqual(['agreement', 'Customer agreement.pdf', '%PDF-']);

    await ana.documents.signs(contract, pdf);

    await tells('Ana Lind signed Customer agreement: sealed and verified');
    const row = await eventually(async () => {
      const { rows } = await pool.query<{ status: string; signed_pdf: Buffer }>(
        `select status, signed_pdf from contract where document_id = $1 and status = 'active'`,
        [contract.id],
      );
      return rows[0];
    });
    expect(row.signed_pdf.subarray(0, pdf.length).equals(pdf)).toBe(true);
    expect(row.signed_pdf.length).toBeGreaterThan(pdf.length);

    await ana.documents.cancels(contract);
    await tells('Customer agreement of Ana Lind is over');
  });

  it("sets the price of an order in the shop's flow, which is published after the backend has started", async () => {
    await eventually(async () => (output.includes('a flow that is played here is not published yet') ? true : undefined));
    await sets();
    const connection = (await shopConnection(ana))!;
    const codase = await world.internalService();
    const { flow_run_id: id } = await codase.flows.start(ORDER_FLOW, { key: 'order-1', target: { connection_id: connection.id } });
    await ana.flows.answers(connection, { id }, { quantity: '4' }, { next_node: 'price' });

    const { reference_date, answers } = await eventually(async () => {
      const run = await ana.flows.reads(connection, { id });
      return run.current_node === 'agree' ? run : undefined;
    });
    const delivery = new Date(Date.parse(reference_date) + 3 * 86_400_000).toISOString().slice(0, 10);
    await tells(`an order of 4 boxes: 50.00, delivered on ${delivery}`);
    expect(await ana.opens(answers.find(({ slug }) => slug === 'price')!.value)).toBe('50');
    expect((await ana.flows.answers(connection, { id }, { agrees: 'yes' }, { leaf: true })).status).toBe('completed');
  });

  it("signs its own copy of a run's document after the customer has signed", async () => {
    const connection = (await shopConnection(ana))!;
    const begun = await world.acme.flows.begins(world.shop.service_id!, 'Delivery');
    await world.acme.flows.uploads(begun, 'note', { file: `data:application/pdf;base64,${NOTE.toString('base64')}`, ...NOTE_FILE });
    const { id: flow } = await world.acme.flows.publishes(world.shop.service_id!, DELIVERY, begun);
    const run = await world.shop.flows.starts(flow, { target: { connection_id: connection.id } });
    await ana.flows.answers(connection, run, { place: 'Lund' }, { leaf: true });

    const { documents } = await generates(customerSide(ana, connection), run.id, { values: { place: 'Lund' } });
    const id = documents.find(({ party_key }) => party_key === 'customer')!.document_id;
    const { file } = JSON.parse(await ana.opens(((await ana.documents.fetches({ id })) as { value: string }).value)) as { file: string };
    await ana.documents.signs({ id }, Buffer.from(file.slice(file.indexOf(',') + 1), 'base64'));

    await tells('Delivery note is signed for the shop');
    const { participants } = await eventually(async () => {
      const now = await ana.flows.reads(connection, run);
      return now.status === 'completed' ? now : undefined;
    });
    expect(participants.map(({ party_key, documents: copies }) => [party_key, copies.map(({ action }) => action)])).toEqual([
      ['customer', ['signed']],
      ['company', ['signed']],
    ]);
    await world.shop.documents.changes({ id }, { status: 'ended' }); // a contract in force would keep the connection from ending
  });

  it('logs a failed write without anything of the value, and retries it', async () => {
    await pool.query(`alter table customer_field add constraint picky check (value <> '"tattletale@lind.example"')`);
    await ana.fields.edits('email', 'tattletale@lind.example');
    await eventually(async () => (output.includes('event failed, trying again') ? true : undefined));
    expect(output).not.toContain('tattletale');

    await pool.query('alter table customer_field drop constraint picky');
    await tells('Ana Lind changed email: tattletale@lind.example');
    await ana.fields.edits('email', 'ana@new.example');
    await kept('email', 'ana@new.example');
  });

  it('replaces the characters of a value that the database refuses', async () => {
    await ana.fields.edits('email', 'ana\0@new.example');
    expect(await kept('email', 'ana\ufffd@new.example')).toHaveProperty('email');

    await ana.fields.edits('email', 'ana@new.example');
    await kept('email', 'ana@new.example');
  });

  it('handles after a restart what happened meanwhile', async () => {
    expect(await stop()).toBe(0);
    await ana.fields.edits('first_name', 'Anna');
    start();

    await tells('Ana Lind changed first_name: Anna');
  });

  it('deletes a customer who leaves, and stores them again when they return', async () => {
    await ana.connections.disconnects((await shopConnection(ana))!);
    await tells('Ana Lind has left and is forgotten');
    expect(await kept('email', undefined)).toEqual({});

    await joinShop(ana);
    await tells('Ana Lind is a customer: first_name Anna, email ana@new.example, phone +46 70 174 06 05');
  });

  /** Publishes an event of another time again, as the feed consumer does: behind everything that came since. */
  async function comesAgain(when: Date, event: string, members: object): Promise<void> {
    const whole = {
      id: `evt_${when.getTime()}`,
      event,
      person_user_id: ana.user_id,
      share_code: 'ANA',
      at: when.toISOString(),
      ...members,
    };
    const marks = headers();
    marks.set(RESENT_HEADER, 'true');
    const { streams } = await world.operator('suite');
    await streams.publish(at(FEED, { service: 'shop', event, partition: 'p00' }), JSON.stringify(whole), { headers: marks });
  }

  it('does not let a resent event undo newer data', async () => {
    await ana.fields.edits('email', 'ana@newer.example');
    await kept('email', 'ana@newer.example');
    await ana.connections.drops((await shopConnection(ana))!, 'phone');
    await kept('phone', undefined);
    const {
      rows: [moments],
    } = await pool.query<Record<'came' | 'edited' | 'last', Date>>(`
      select connected_at as came, min(changed_at) filter (where slug in ('email', 'phone')) as edited, max(changed_at) as last
      from customer join customer_field using (person_id) group by 1`);
    const [before, between, after] = [moments!.came.getTime() - 1, moments!.edited.getTime() - 1, moments!.last.getTime() + 1].map(
      (ms) => new Date(ms),
    ) as [Date, Date, Date];
    const old = { live: true, value: await ana.sealsFor(world.shop, 'an older value') };

    await comesAgain(before, 'connection_deleted', { customer_type: 'person' });
    await comesAgain(before, 'field_deleted', { slug: 'first_name' });
    for (const slug of ['email', 'phone']) await comesAgain(between, 'field_updated', { slug, ...old });
    await comesAgain(after, 'field_updated', { slug: 'first_name', live: true, value: await ana.sealsFor(world.shop, 'the last') });

    expect(await kept('first_name', 'the last')).toEqual({ email: 'ana@newer.example', first_name: 'the last' });
    expect(output).not.toContain('an older value');
  });
});
