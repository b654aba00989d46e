import type { Server } from 'node:http';
import { Refusal, START_RUN } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { ORDER } from '../src/turns/order-flow.check.ts';
import { COMPANY, CUSTOMER, PlayedPlatform } from './played-platform.ts';

const SHOP = { service: 'shop' };
const [ask, ...others] = ORDER.nodes;
/** The same flow with a text that shows values of the customer, and a document made of the customer's file. */
const GREETED = {
  ...ORDER,
  output_mode: 'document' as const,
  nodes: [
    {
      ...ask!,
      elements: [
        { kind: 'text' as const, text: 'Hello {{customer.first_name}}, with {{customer.income}} and {{customer.gone}}' },
        ...ask!.elements,
      ],
    },
    ...others.slice(0, -1),
    {
      ...others.at(-1)!,
      output: {
        language_party: 'customer',
        documents: [
          {
            output_key: 'rules',
            name: 'Rules',
            rules: [{ source_connection: { party: 'customer', request_slug: 'rules' }, languages: 'all' as const }],
          },
        ],
      },
    },
  ],
};

describe('start of a run by a service @spec D2-4.1', () => {
  let world: World;
  let platform: PlayedPlatform;
  let shop: Bus;
  let desk: Bus;
  let files: Server | undefined;
  let db: DataSource;
  let keys = 0;
  beforeAll(async () => {
    world = await World.open({ units: [], neighbours: [{ user: 'desk-backend', services: ['shop'] }] });
    platform = await PlayedPlatform.open(world);
    files = await platform.servesFiles(world.servingPort('gateway'));
    [shop, desk] = [await world.busAs('shop-backend'), await world.busAs('desk-backend')];
    await world.starts('flows');
    db = await world.opensDatabase('flows');
  });
  afterAll(async () => {
    await world?.close();
    files?.close();
  });
  beforeEach(() => {
    platform.onStart = platform.onStarted = platform.onRead = platform.onReadFile = () => undefined;
    platform.definition = ORDER;
  });

  const runOf = (change: object = {}) => ({
    flow_id: 'flow_order',
    idempotency_key: `order-${++keys}`,
    targets: { customer: { connection_id: 'conn_ana' } },
    ...change,
  });
  const start = (message: object = runOf(), by = shop) => by.request(START_RUN, SHOP, message as never, { timeout: 60_000 });

  it('begins at the entry node of the published version', async () => {
    const before = platform.started.length;
    expect(await start()).toMatchObject({ status: 'awaiting_customer', node: 'ask' });
    expect(platform.started).toHaveLength(before + 1);
    expect(platform.started.at(-1)).toMatchObject({
      flow_version: 3,
      targets: { customer: { connection_id: 'conn_ana' } },
      source_files: [],
    });
    expect(platform.started.at(-1)!.tag_values).toBeUndefined();
  });

  it('makes one run for each idempotency key and user, however often it is repeated', async () => {
    const [message, before] = [runOf(), platform.started.length];
    const all = await Promise.all(Array.from({ length: 10 }, () => start(message)));
    const ofDesk = await start(message, desk);

    expect(new Set(all.map(({ flow_run_id }) => flow_run_id)).size).toBe(1);
    expect(ofDesk.flow_run_id).not.toBe(all[0]!.flow_run_id);
    expect(platform.started).toHaveLength(before + 2);
    await expect(start({ ...message, flow_id: 'flow_other' })).rejects.toMatchObject({ key: 'flows.start_conflict' });
  });

  it('returns the same run when it is repeated after a lost answer of the platform', async () => {
    const [message, before] = [runOf(), platform.started.length];
    platform.onStarted = () => {
      platform.onStarted = () => undefined;
      throw new Refusal('service.unavailable');
    };
    const { flow_run_id } = await start(message);

    expect(await start(message)).toMatchObject({ flow_run_id });
    expect(platform.started).toHaveLength(before + 1);
  });

  it('returns the entry node also to a repeat before the run was read', async () => {
    const message = runOf();
    platform.onRead = () => {
      throw new Refusal('service.unavailable');
    };
    await start(message);

    expect(await start(message)).toMatchObject({ status: 'awaiting_customer', node: 'ask' });
  });

  it('may be repeated with the same key after a refusal', async () => {
    const message = runOf();
    platform.onStart = () => {
      throw new Refusal('flows.not_published');
    };
    await expect(start(message)).rejects.toMatchObject({ key: 'flows.not_published' });
    platform.onStart = () => undefined;
    expect(await start(message)).toMatchObject({ node: 'ask' });
  });

  it.each([
    [{ targets: { customer: { connection_id: 'conn_none' } } }, 'flows.connection_not_found'],
    [{ targets: {} }, 'flows.bindings_invalid'],
    [{ targets: { company: { connection_id: 'conn_ana' } } }, 'flows.bindings_invalid'],
  ])('is refused with %j before anything is sealed', async (change, key) => {
    const before = platform.started.length;
    await expect(start(runOf(change))).rejects.toMatchObject({ key });
    expect(platform.started).toHaveLength(before);
  });

  it('is compiled once more when a newer version was published or a key was replaced @spec D2-9', async () => {
    const versions: number[] = [];
    platform.onStart = ({ flow_version }) => {
      versions.push(flow_version!);
      if (versions.length > 1) return;
      platform.version = 4;
      throw new Refusal('flows.version_changed');
    };
    await start();
    expect(versions).toEqual([3, 4]);

    platform.onStart = () => {
      throw new Refusal('flows.tag_values_stale', { stale: ['company'] });
    };
    await expect(start()).rejects.toMatchObject({ key: 'flows.tag_values_stale', extras: { stale: ['company'] } });
  });

  it("sends the values that the flow's text shows, private ones only to their own party and the company", async () => {
    platform.definition = GREETED;
    const value = async (plaintext: string) => ({ value: await platform.seal(plaintext), live: true, updated_at: '2026-03-02T10:00:00Z' });
    platform.values = { first_name: await value('Ana'), income: await value('5000731'), gone: await value('') };
    platform.values.gone!.value = await platform.seal('not to be opened', CUSTOMER);
    platform.values_private = { income: true };
    await start();

    const tags = platform.started.at(-1)!.tag_values!;
    expect(Object.keys(tags).toSorted()).toEqual(['company', CUSTOMER].toSorted());
    for (const [recipient, user] of [
      ['company', COMPANY],
      [CUSTOMER, CUSTOMER],
    ] as const) {
      const { recipient_pubkey_sha256, public: shown, public_tags, private: apart } = tags[recipient]!;
      expect(recipient_pubkey_sha256).toBe(await platform.keyHash(user));
      expect(public_tags).toEqual(['customer.first_name']);
      expect(await platform.openFor(user, shown)).toEqual({ 'customer.first_name': { v: 'Ana', t: 'text' } });
      expect(await platform.openFor(user, apart['customer.income']!)).toEqual({ v: '5000731', t: 'number' });
    }
    expect(JSON.stringify(platform.started.at(-1))).not.toMatch(/"(Ana|5000731)\\*"/);
  });

  it("stages the customer's file for every bound user", async () => {
    platform.definition = GREETED;
    platform.values = { rules: { value_url: '/somewhere', live: true, updated_at: '2026-03-02T10:00:00Z' } };
    const before = platform.staged.length;
    await start();

    const { source_files } = platform.started.at(-1)!;
    expect(source_files!.map(({ source_key, for_user_id }) => `${source_key} ${for_user_id}`)).toEqual([
      `conn:customer:rules ${COMPANY}`,
      `conn:customer:rules ${CUSTOMER}`,
    ]);
    for (const [nth, user] of [COMPANY, CUSTOMER].entries()) {
      const { source_user_id, value } = platform.staged[before + nth]!;
      expect(source_user_id).toBe(CUSTOMER);
      expect(await platform.openFor(user, value)).toMatchObject({ file: expect.stringMatching(/^data:application\/pdf/) });
    }
  });

  it('stages a file once for simultaneous repeats, and one start after the other', async () => {
    platform.definition = GREETED;
    platform.values = { rules: { value_url: '/somewhere', live: true, updated_at: '2026-03-02T10:00:00Z' } };
    const before = platform.staged.length;
    const stagedAtReads = new Set<number>();
    platform.onReadFile = () => void stagedAtReads.add(platform.staged.length - before);
    const messages = [runOf(), runOf(), runOf()];

    const all = await Promise.all([...messages, ...messages].map((message) => start(message)));

    expect(new Set(all.map(({ flow_run_id }) => flow_run_id)).size).toBe(3);
    expect([...stagedAtReads]).toEqual([0, 2, 4]);
    expect(platform.staged).toHaveLength(before + 6);
  });

  it('leaves out a share-once file that has expired', async () => {
    platform.definition = GREETED;
    platform.values = { rules: { value_url: '/somewhere', live: false, updated_at: '2026-03-02T10:00:00Z' } };
    platform.onReadFile = () => {
      throw new Refusal('company_data.file_expired', { digest: 'abc', expired_at: '2026-04-01T10:00:00Z' });
    };

    await start();

    expect(platform.started.at(-1)!.source_files).toEqual([]);
    platform.onReadFile = () => {
      throw new Refusal('company_data.file_not_found');
    };
    await expect(start()).rejects.toMatchObject({ key: 'company_data.file_not_found' });
  });

  it('stores neither keys nor values in the database', async () => {
    const rows = JSON.stringify(await many(db, sql`select * from run_start`));
    expect(rows.length).toBeGreaterThan(500);
    expect(rows).not.toMatch(/order-\d|Ana|5000731|conn_ana/);
  });
});
