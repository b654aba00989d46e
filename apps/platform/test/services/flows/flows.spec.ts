import { DEFINITION_BYTES, flowAuthoring, ownerRuns, OPERATOR, plugins, runs, services } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { World, type Company } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { largeFlow } from '@codase/testing/large-flow';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';
import { ORDER_FLOW } from './order-flow.ts';

const PERSON_FLOW = { ...ORDER_FLOW, constants: [], edges: [{ from: 'order', to: 'confirm' }] };

describe('authoring of contract flows @spec D2-1 @spec D2-7 @spec D2-9', () => {
  let world: World;
  let acme: Company;
  let service_id: string;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    acme = world.acme;
    service_id = world.shop.service_id!;
    db = await world.opensDatabase('region_eu', { pool: 2 });
  });
  afterAll(() => world?.close());

  const readsPublished = (flowId: string) => world.shop.asks(runs.readPublishedFlow, { params: { flowId } });
  const readsOwn = (id: string, flowId: string) => world.automation.asks(ownerRuns.readOwnPublishedFlow, { params: { id, flowId } });
  const unknownFlow = refused('flows.not_found', 404);

  describe('a draft of a flow', () => {
    it('is empty at first, and can be saved with errors', async () => {
      const begun = await acme.flows.begins(service_id, 'Orders');
      expect(begun).toMatchObject({ service_id, name: 'Orders', published_version: null, draft: {} });

      const wrong = { nodes: 'none yet', note: '\u0000 \ud800' };
      const saved = await acme.flows.saves(begun, wrong);
      expect(saved.draft).toEqual(wrong);
      expect(await acme.flows.reads(begun)).toEqual(saved);
    });

    it('is not overwritten with an outdated draft token @spec D2-1', async () => {
      const begun = await acme.flows.begins(service_id);
      await acme.flows.saves(begun, ORDER_FLOW);

      await expect(acme.flows.saves(begun, {})).rejects.toEqual(refused('flows.draft_conflict', 409));
      await expect(acme.flows.publishesDraft(begun)).rejects.toEqual(refused('flows.draft_conflict', 409));
      expect((await acme.flows.reads(begun)).draft).toEqual(ORDER_FLOW);
    });

    it('is saved by only one of several concurrent calls', async () => {
      const begun = await acme.flows.begins(service_id);
      const saved = await Promise.allSettled([1, 2, 3].map((n) => acme.flows.saves(begun, { n })));
      expect(saved.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('keeps its name unless the call has another one', async () => {
      const begun = await acme.flows.begins(service_id, 'Before');
      const save = { params: { flowId: begun.id }, body: { draft_token: begun.draft_token, name: 'After', draft: {} } };
      const renamed = await acme.asks(flowAuthoring.saveDraft, save);
      expect(renamed.name).toBe('After');
      expect((await acme.flows.saves(renamed, {})).name).toBe('After');
    });

    it('refuses malformed names, drafts and calls', async () => {
      const { id, draft_token } = await acme.flows.begins(service_id);
      const invalid = refused('request.invalid', 400);
      await expect(acme.flows.begins(service_id, ' ')).rejects.toEqual(invalid);
      await expect(acme.flows.saves({ id, draft_token }, [] as never)).rejects.toEqual(invalid);
      await expect(acme.asks(flowAuthoring.publishFlow, { params: { flowId: id }, body: {} as never })).rejects.toEqual(invalid);
    });
  });

  describe('the list of flows', () => {
    it('has the flows of the company, all or of one service, in pages', async () => {
      const begun = await acme.flows.begins(service_id, 'Listed');
      const lists = (query: object) => acme.asks(flowAuthoring.listFlows, { query });

      const { items } = await lists({ service_id, limit: 200 });
      expect(items).toContainEqual(expect.objectContaining({ id: begun.id, name: 'Listed', published_version: null }));
      const first = await lists({ limit: 1 });
      expect(first.items).toHaveLength(1);
      expect((await lists({ limit: 1, cursor: first.next_cursor! })).items[0]!.id).toBe(items[1]!.id);
      await expect(lists({ service_id: 'ser_none' })).rejects.toEqual(refused('services.not_found', 404));
      await expect(lists({ limit: 0 })).rejects.toEqual(refused('request.invalid', 400));
    });
  });

  describe('publishing a flow', () => {
    it("creates a version that the service client and the owner's automation read @spec D2-4.1", async () => {
      await acme.services.publishesRequest(service_id, [{ slug: 'home', label: 'Home', type: 'text' }]);
      const flow = await acme.flows.publishes(service_id, ORDER_FLOW);

      expect(flow.published_version).toBe(1);
      const published = await readsPublished(flow.id);
      expect(published).toEqual({ version: 1, definition: ORDER_FLOW, request_field_types: { home: 'text' } });
      expect(await readsOwn(service_id, flow.id)).toEqual(published);
    });

    it('adds the flow to the list of its service, which has no drafts @gap D2-4.1', async () => {
      await acme.flows.begins(service_id, 'Not published');
      const { id } = await acme.flows.publishes(service_id, ORDER_FLOW);
      const lists = (query: object = {}, by = world.shop) => by.asks(runs.listPublishedFlows, { query });

      const { items } = await lists({ limit: 200 });
      expect(items).toContainEqual({ id, name: 'Framework agreement', version: 1 });
      expect(items.map(({ name }) => name)).not.toContain('Not published');
      const first = await lists({ limit: 1 });
      expect(await lists({ limit: 1, cursor: first.next_cursor! })).toMatchObject({ items: [items[1]] });
      await expect(lists({ limit: 0 })).rejects.toEqual(refused('request.invalid', 400));
    });

    it('keeps earlier versions, and creates no version without a change @spec D2-9', async () => {
      const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
      expect(await acme.flows.publishesDraft(flow)).toMatchObject({ published: true, version: 1 });

      const changed = await acme.flows.publishes(service_id, PERSON_FLOW, flow);

      expect(changed.published_version).toBe(2);
      expect((await readsPublished(flow.id)).definition).toEqual(PERSON_FLOW);
      const versions = await many<{ definition: string }>(
        db,
        sql`select definition from flow_version where flow_id = ${flow.id} order by version`,
      );
      expect(versions.map(({ definition }) => JSON.parse(definition))).toEqual([ORDER_FLOW, PERSON_FLOW]);
    });

    it('creates a version even if a row of another company has a key like that of the version', async () => {
      const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
      const other = await world.signsUp({ type: 'company', region: 'eu', level: 'business' });
      const { public_key, encrypted_private_key } = SERVICE_KEYS[1];
      const key = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
      const body = { name: 'Planter', admin_email: 'admin@planter.example', ...key };
      const planter = await other.flows.publishes((await other.asks(services.createService, { body })).id, PERSON_FLOW);
      await execute(db)`update flow_version set flow_version_id = ${`${flow.id}_2`} where flow_id = ${planter.id}`;

      expect((await acme.flows.publishes(service_id, PERSON_FLOW, flow)).published_version).toBe(2);
    });

    it('reports all findings at once, and publishes nothing then @spec D2-7', async () => {
      const begun = await acme.flows.begins(service_id);
      const [order, confirm] = ORDER_FLOW.nodes;
      const wrong = await acme.flows.saves(begun, {
        ...ORDER_FLOW,
        nodes: [{ ...order!, party: 'nobody' }, confirm],
        edges: [{ from: 'order', to: 'nowhere' }],
      });

      const { findings } = await acme.flows.validates(begun);
      const [unknownParty, unknownNode] = [{ node: 'order' }, { node: 'order', edge: 0 }];
      expect(findings.map(({ key, where }) => [key, where])).toEqual([
        ['flows.definition_invalid', unknownParty],
        ['flows.definition_invalid', unknownNode],
      ]);
      expect(await acme.flows.publishesDraft(wrong)).toEqual({ published: false, version: null, findings });
      await expect(readsPublished(begun.id)).rejects.toEqual(refused('flows.not_published', 409));
      await expect(readsOwn(service_id, begun.id)).rejects.toEqual(refused('flows.not_published', 409));
    });

    it('accepts a flow of 300 nodes and 1,000 edges @gap D2-8', async () => {
      const large = largeFlow(300, 1000);
      const flow = await acme.flows.publishes(service_id, large);
      expect((await readsPublished(flow.id)).definition).toEqual(large);
    });

    it('is refused after a thousand versions', async () => {
      const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
      await execute(db, sql`update flow_version set version = 1000 where flow_id = ${flow.id}`);
      await execute(db, sql`update flow set published_version = 1000 where flow_id = ${flow.id}`);
      const saved = await acme.flows.saves(flow, PERSON_FLOW);
      await expect(acme.flows.publishesDraft(saved)).rejects.toEqual(refused('flows.too_many', 409));
    });
  });

  describe('plugins in a flow', () => {
    const elementOf = (plugin_id: string, field_type = 'delivery_address') => ({
      kind: 'plugin',
      slug: 'delivery',
      label: 'Delivery',
      required: true,
      plugin: { plugin_id, field_type, inputs: {} },
    });
    const withPlugin = (element: object) => ({
      ...ORDER_FLOW,
      nodes: [{ ...ORDER_FLOW.nodes[0]!, elements: [...ORDER_FLOW.nodes[0]!.elements, element] }, ORDER_FLOW.nodes[1]],
    });
    const describes = (id: string, label: string) => {
      const type = {
        field_type: 'delivery_address',
        label,
        blocks: [],
        inputs: [],
        outputs: [{ key: 'zone', type: 'number', label: 'Zone' }],
      };
      const description = JSON.stringify({ name: 'Addresses', public_key: 'a2V5', field_types: [type] });
      return execute(db, sql`update plugin set description = ${description}::jsonb, last_refresh = now() where plugin_id = ${id}`);
    };
    const labelOf = (flow: { nodes?: unknown }) => {
      const [node] = flow.nodes as { elements: { plugin?: { snapshot: { label: string } } }[] }[];
      return node!.elements.at(-1)!.plugin!.snapshot.label;
    };

    it('are described on saving and publishing, and the description is fixed in the version @spec D2-2.6 @spec D2-9', async () => {
      const plugin = await acme.asks(plugins.addPlugin, { body: { base_url: 'https://plugins.acme.example/flows' } });
      await describes(plugin.id, 'Address');
      const saved = await acme.flows.saves(await acme.flows.begins(service_id, 'With a plugin'), withPlugin(elementOf(plugin.id)));
      expect(labelOf(saved.draft)).toBe('Address');

      await describes(plugin.id, 'Place');
      expect(await acme.flows.publishesDraft(saved)).toMatchObject({ published: true, version: 1 });
      await describes(plugin.id, 'Later');
      expect(labelOf((await readsPublished(saved.id)).definition)).toBe('Place');

      await describes(plugin.id, 'x'.repeat(DEFINITION_BYTES));
      await expect(acme.flows.publishesDraft(saved)).rejects.toMatchObject({ key: 'request.invalid', status: 400 });

      const removed = acme.asks(plugins.deletePlugin, { params: { id: plugin.id } });
      await expect(removed).rejects.toMatchObject({ key: 'plugins.in_use', extras: { in_use: { flows: ['With a plugin'] } } });
      await acme.flows.deletes(saved);
      await acme.asks(plugins.deletePlugin, { params: { id: plugin.id } });
    });

    it('must belong to the company and offer the field type @spec D2-7', async () => {
      const plugin = await acme.asks(plugins.addPlugin, { body: { base_url: 'https://plugins.acme.example/flows' } });
      await describes(plugin.id, 'Address');
      const finds = async (element: object) => {
        const flow = await acme.flows.begins(service_id);
        await acme.flows.saves(flow, withPlugin(element));
        const { findings } = await acme.flows.validates(flow);
        await acme.flows.deletes(flow);
        return findings.map(({ key, where }) => [key, where]);
      };

      const where = { node: 'order', element: 'delivery' };
      expect(await finds(elementOf('plug_of_others'))).toEqual([['flow_plugin.unknown', where]]);
      expect(await finds(elementOf(plugin.id, 'name'))).toEqual([['flow_plugin.field_type_unknown', where]]);
      await acme.asks(plugins.deletePlugin, { params: { id: plugin.id } });
    });
  });

  it('every call for an unknown flow or service is refused as not found', async () => {
    const none = { id: 'flow_none', draft_token: '' };
    const requests = [
      () => acme.flows.reads(none),
      () => acme.flows.saves(none, {}),
      () => acme.flows.validates(none),
      () => acme.flows.publishesDraft(none),
      () => acme.flows.deletes(none),
      () => readsPublished(none.id),
      () => readsOwn(service_id, none.id),
    ];
    for (const ask of requests) await expect(ask()).rejects.toEqual(unknownFlow);
    await expect(readsOwn('ser_none', none.id)).rejects.toEqual(refused('services.not_found', 404));
    await expect(acme.flows.begins('ser_none')).rejects.toEqual(refused('services.not_found', 404));
  });

  it('a deleted flow is gone with its versions', async () => {
    const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
    await acme.flows.deletes(flow);

    await expect(acme.flows.reads(flow)).rejects.toEqual(unknownFlow);
    await expect(readsPublished(flow.id)).rejects.toEqual(unknownFlow);
    expect(await many(db, sql`select from flow_version where flow_id = ${flow.id}`)).toEqual([]);
  });

  it('a flow with a run cannot be deleted @spec D2-9', async () => {
    const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
    const ana = await world.signsUp({ type: 'person', region: 'eu' });
    const { id: connection_id } = await ana.connections.connects('ACME/SHOP', { home: 'Graz' });
    await world.shop.flows.starts(flow.id, { target: { connection_id } });

    await expect(acme.flows.deletes(flow)).rejects.toEqual(refused('flows.in_use', 409));
    expect((await readsPublished(flow.id)).version).toBe(1);
  });

  it('a service has at most two hundred flows', async () => {
    await execute(
      db,
      sql`
      insert into flow (flow_id, company_user_id, service_id, name, draft, created_at, updated_at)
      select 'flow_of_many_' || n, ${acme.user_id}, ${service_id}, 'One of many', '{}', now(), now() from generate_series(1, 200) n`,
    );
    await expect(acme.flows.begins(service_id)).rejects.toEqual(refused('flows.too_many', 409));
    await execute(db, sql`delete from flow where flow_id like 'flow_of_many_%'`);
  });

  it('creating and publishing a flow need the level Pro', async () => {
    const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
    const operator = await world.operator('platform');
    const setLevel = (level: 'basic' | 'business') => operator.request(OPERATOR.setLevel, {}, { user_id: acme.user_id, level });
    await setLevel('basic');

    const levelRequired = refused('account.level_required', 403);
    await expect(acme.flows.begins(service_id)).rejects.toEqual(levelRequired);
    await expect(acme.flows.publishesDraft(flow)).rejects.toEqual(levelRequired);
    expect((await acme.flows.saves(flow, PERSON_FLOW)).draft).toEqual(PERSON_FLOW);
    expect((await readsPublished(flow.id)).version).toBe(1);
    await setLevel('business');
  });
});
