import { flowAuthoring, OPERATOR, plugins, services, TEMPLATE_MAX_MB } from '@codase/contracts';
import { execute, one, sql } from '@codase/runtime/db';
import { type AuthoredFlow, type Company, pdfThatShows, World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { envelope, fileBytes, refused } from '../../sharing/connections/connections-world.ts';
import { FAULTS, faultyFlow, ZONES } from './faulty-flow.ts';
import { ORDER_FLOW, ORDER_WITH_CONTRACT } from './order-flow.ts';
import { takesMemory } from '../../support/served-files.ts';

describe('templates, versions and previews of contract flows @spec D2-2.4 @spec D2-9', () => {
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

  const uploads = (flow: Pick<AuthoredFlow, 'id'>, assetKey: string, file: ReturnType<typeof envelope>) =>
    acme.flows.uploads(flow, assetKey, file);
  const lists = ({ id }: Pick<AuthoredFlow, 'id'>) => acme.asks(flowAuthoring.listTemplates, { params: { flowId: id } });
  const downloads = ({ id }: Pick<AuthoredFlow, 'id'>, assetKey: string) =>
    acme.asks(flowAuthoring.readTemplate, { params: { flowId: id, assetKey } });
  const drops = ({ id }: Pick<AuthoredFlow, 'id'>, assetKey: string) =>
    acme.asks(flowAuthoring.deleteTemplate, { params: { flowId: id, assetKey } });
  const readsVersion = ({ id }: Pick<AuthoredFlow, 'id'>, version: number) =>
    acme.asks(flowAuthoring.readFlowVersion, { params: { flowId: id, version: String(version) } });
  const compares = ({ id }: Pick<AuthoredFlow, 'id'>, version: number, since?: number) =>
    acme.asks(flowAuthoring.compareFlowVersions, {
      params: { flowId: id, version: String(version) },
      query: since === undefined ? {} : { since: String(since) },
    });
  const copies = ({ id }: Pick<AuthoredFlow, 'id'>, body: object = {}) =>
    acme.asks(flowAuthoring.copyFlow, { params: { flowId: id }, body });
  const plays = ({ id }: Pick<AuthoredFlow, 'id'>, body: object = {}) =>
    acme.asks(flowAuthoring.previewFlow, { params: { flowId: id }, body });
  const countFiles = async () => (await one<{ n: number }>(db, sql`select count(*)::int as n from flow_file`))!.n;

  const PDF = pdfThatShows('You pay {{total}} for {{quantity}}.');
  const pdf = (bytes = PDF) => envelope('application/pdf', bytes.toString('latin1'));
  const PICTURE = () => envelope('image/png', 'a picture');
  const unknownFlow = refused('flows.not_found', 404);
  const unusable = refused('flows.template_invalid', 400);

  it('a flow is validated as a whole, with every finding and its position @spec D2-7', async () => {
    const { id: plugin_id } = await acme.asks(plugins.addPlugin, { body: { base_url: 'https://plugins.acme.example/zones' } });
    await execute(
      db,
      sql`update plugin set description = ${JSON.stringify(ZONES)}::jsonb, last_refresh = now() where plugin_id = ${plugin_id}`,
    );
    const flow = await acme.flows.begins(service_id);
    await uploads(flow, 'lease', pdf(pdfThatShows('For {{nobody}}.')));
    const saved = await acme.flows.saves(flow, faultyFlow(plugin_id));

    const { findings } = await acme.flows.validates(flow);

    expect(findings).toHaveLength(Object.keys(FAULTS).length);
    expect(Object.fromEntries(findings.map(({ key, where }) => [key, where]))).toEqual(FAULTS);
    expect(await acme.flows.publishesDraft(saved)).toEqual({ published: false, version: null, findings });
    await acme.flows.deletes(flow);
    await acme.asks(plugins.deletePlugin, { params: { id: plugin_id } });
  });

  describe('a template or image of a flow', () => {
    it('is listed with its tags and downloaded as it was uploaded when it is a PDF', async () => {
      const flow = await acme.flows.begins(service_id);
      const file = await uploads(flow, 'contract', pdf());

      expect(file).toMatchObject({ asset_key: 'contract', kind: 'pdf', size: PDF.length, tags: ['total', 'quantity'] });
      expect((await lists(flow)).items).toEqual([file]);
      const { content_type, bytes } = await downloads(flow, 'contract');
      expect([content_type, Buffer.from(bytes).equals(PDF)]).toEqual(['application/pdf', true]);
    });

    it('has no tags when it is an image, and its type is checked against its bytes', async () => {
      const flow = await acme.flows.begins(service_id);
      expect(await uploads(flow, 'logo', PICTURE())).toMatchObject({ kind: 'image', tags: [], mime_type: 'image/png' });

      await expect(uploads(flow, 'logo', { ...PICTURE(), mime_type: 'image/jpeg' })).rejects.toEqual(unusable);
      await expect(uploads(flow, 'logo', envelope('image/svg+xml', '<svg/>'))).rejects.toEqual(unusable);
      await expect(uploads(flow, 'logo', envelope('application/pdf', 'no PDF'))).rejects.toEqual(unusable);
    });

    it('is refused with 503 when there is no memory for all of it', async () => {
      const flow = await acme.flows.begins(service_id);
      await uploads(flow, 'logo', envelope('image/png', 'pixels '.repeat(20_000)));

      const releases = takesMemory();
      await expect(downloads(flow, 'logo').finally(releases)).rejects.toEqual(refused('service.overloaded', 503));

      expect((await downloads(flow, 'logo')).content_type).toBe('image/png');
    });

    it('is refused when it is too large, or has another size than its envelope says', async () => {
      const flow = await acme.flows.begins(service_id);
      const large = Buffer.alloc(TEMPLATE_MAX_MB * 1024 * 1024 + 2048, 'a').toString('latin1');
      await expect(uploads(flow, 'contract', envelope('application/pdf', large))).rejects.toEqual(refused('documents.too_large', 400));
      await expect(uploads(flow, 'contract', { ...pdf(), size: 1 })).rejects.toEqual(refused('request.invalid', 400));
      expect((await lists(flow)).items).toEqual([]);
    });

    it('is replaced and deleted in the draft, while published versions keep theirs', async () => {
      const flow = await acme.flows.begins(service_id);
      await uploads(flow, 'contract', pdf());
      const before = await acme.flows.publishes(service_id, ORDER_WITH_CONTRACT, flow);
      const other = pdfThatShows('{{total}}');
      await uploads(flow, 'contract', pdf(other));
      const after = await acme.flows.publishes(service_id, ORDER_WITH_CONTRACT, flow);
      await drops(flow, 'contract');

      expect([before.published_version, after.published_version]).toEqual([1, 2]);
      const [first, second] = [await readsVersion(flow, 1), await readsVersion(flow, 2)];
      expect(first).toMatchObject({ version: 1, definition: ORDER_WITH_CONTRACT, files: [{ asset_key: 'contract' }] });
      expect(second.files).not.toEqual(first.files);
      expect((await compares(flow, 2)).changes).toEqual([
        {
          change: 'changed',
          where: { file: 'contract' },
          member: 'sha256',
          before: first.files[0]!.sha256,
          after: second.files[0]!.sha256,
        },
      ]);
      await expect(downloads(flow, 'contract')).rejects.toEqual(refused('flows.template_not_found', 404));
      await expect(drops(flow, 'contract')).rejects.toEqual(refused('flows.template_not_found', 404));
      const { findings } = await acme.flows.validates(flow);
      expect(findings).toContainEqual(expect.objectContaining({ key: 'pdf.source_invalid', where: expect.objectContaining({ rule: 0 }) }));
    });

    it('is deleted when no flow uses it any more', async () => {
      const before = await countFiles();
      const flow = await acme.flows.begins(service_id);
      await uploads(flow, 'logo', PICTURE());
      const copy = await copies(flow);
      expect(await countFiles()).toBe(before + 1);

      await acme.flows.deletes(flow);
      expect(Buffer.from((await downloads(copy, 'logo')).bytes)).toEqual(fileBytes('image/png', 'a picture'));
      await drops(copy, 'logo');
      expect(await countFiles()).toBe(before);
    });

    it('is deleted with the service of its flow', async () => {
      const before = await countFiles();
      const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
      const keys = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
      const { id } = await acme.asks(services.createService, { body: { name: 'Short-lived', admin_email: 'admin@acme.example', ...keys } });
      const flow = await acme.flows.begins(id);
      await uploads(flow, 'logo', PICTURE());
      await acme.asks(services.deleteService, { params: { id } });

      await expect(acme.flows.reads(flow)).rejects.toEqual(unknownFlow);
      await expect(uploads(flow, 'logo', PICTURE())).rejects.toEqual(unknownFlow);
      expect(await countFiles()).toBe(before);
    });

    it('is limited to fifty per flow', async () => {
      const flow = await acme.flows.begins(service_id);
      await uploads(flow, 'logo', PICTURE());
      await execute(
        db,
        sql`
        insert into flow_asset (asset_id, company_user_id, flow_id, asset_key, file_id)
        select 'fas_' || flow_id || n, company_user_id, flow_id, 'logo_' || n, file_id from flow_asset, generate_series(2, 50) n
         where flow_id = ${flow.id}`,
      );
      await expect(uploads(flow, 'another', PICTURE())).rejects.toEqual(refused('flows.too_many', 409));
      expect(await uploads(flow, 'logo', PICTURE())).toMatchObject({ asset_key: 'logo' });
    });

    it('is refused for a malformed key or an unknown flow', async () => {
      const flow = await acme.flows.begins(service_id);
      for (const ask of [(key: string) => uploads(flow, key, PICTURE()), (key: string) => downloads(flow, key)]) {
        await expect(ask('no key')).rejects.toEqual(refused('flows.template_not_found', 404));
      }
      const none = { id: 'flow_none' };
      const requests = [
        () => uploads(none, 'a', PICTURE()),
        () => lists(none),
        () => downloads(none, 'a'),
        () => drops(none, 'a'),
        () => copies(none),
        () => plays(none),
        () => readsVersion(none, 1),
        () => compares(none, 1),
        () => acme.asks(flowAuthoring.listFlowVersions, { params: { flowId: none.id }, query: {} }),
      ];
      for (const ask of requests) await expect(ask()).rejects.toEqual(unknownFlow);
    });
  });

  describe('versions of a flow', () => {
    it('are listed newest first, and compared with any other version', async () => {
      const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
      const titled = (title: string) => ({ ...ORDER_FLOW, nodes: [{ ...ORDER_FLOW.nodes[0]!, title }, ORDER_FLOW.nodes[1]] });
      for (const title of ['Order', 'Orders']) await acme.flows.publishes(service_id, titled(title), flow);

      const list = (query: object) => acme.asks(flowAuthoring.listFlowVersions, { params: { flowId: flow.id }, query });
      const { items, next_cursor } = await list({ limit: 2 });
      expect(items.map(({ version }) => version)).toEqual([3, 2]);
      expect((await list({ cursor: next_cursor! })).items.map(({ version }) => version)).toEqual([1]);
      await expect(list({ cursor: 'nonsense' })).rejects.toEqual(refused('request.invalid', 400));

      const change = { change: 'changed', where: { node: 'order' }, member: 'title' };
      expect(await compares(flow, 3)).toEqual({ since: 2, version: 3, changes: [{ ...change, before: 'Order', after: 'Orders' }] });
      expect(await compares(flow, 3, 1)).toMatchObject({ since: 1, changes: [{ ...change, before: 'Your order', after: 'Orders' }] });
    });

    it('are not found when they do not exist', async () => {
      const flow = await acme.flows.publishes(service_id, ORDER_FLOW);
      const unknown = refused('flows.version_not_found', 404);
      await expect(readsVersion(flow, 2)).rejects.toEqual(unknown);
      await expect(compares(flow, 1)).rejects.toEqual(unknown);
      await expect(compares(flow, 1, 7)).rejects.toEqual(unknown);
      const misspelt = { params: { flowId: flow.id, version: '1' }, query: { sinse: '1' } as never };
      await expect(acme.asks(flowAuthoring.compareFlowVersions, misspelt)).rejects.toEqual(refused('request.invalid', 400));
    });
  });

  describe('a copy of a flow', () => {
    it('starts with the draft and files of the original, and changes independently', async () => {
      const flow = await acme.flows.begins(service_id, 'Original');
      await uploads(flow, 'contract', pdf());
      await acme.flows.publishes(service_id, ORDER_WITH_CONTRACT, flow);
      const copy = await copies(flow, { name: 'Copy' });

      expect(copy).toMatchObject({ name: 'Copy', service_id, published_version: null, draft: ORDER_WITH_CONTRACT });
      await acme.flows.saves(copy, {});
      expect((await acme.flows.reads(flow)).draft).toEqual(ORDER_WITH_CONTRACT);
      expect((await lists(copy)).items.map(({ asset_key }) => asset_key)).toEqual(['contract']);
    });

    it('needs a service of the company and the level Pro', async () => {
      const flow = await acme.flows.begins(service_id);
      const operator = await world.operator('platform');
      await operator.request(OPERATOR.setLevel, {}, { user_id: acme.user_id, level: 'free' });
      await expect(copies(flow)).rejects.toEqual(refused('account.level_required', 403));
      await operator.request(OPERATOR.setLevel, {}, { user_id: acme.user_id, level: 'business' });
      await expect(copies(flow, { service_id: 'ser_none' })).rejects.toEqual(refused('services.not_found', 404));
      await expect(copies(flow, { name: '' })).rejects.toEqual(refused('request.invalid', 400));
    });

    it('counts towards the limit of two hundred flows per service', async () => {
      const flow = await acme.flows.begins(service_id);
      await execute(
        db,
        sql`
        insert into flow (flow_id, company_user_id, service_id, name, draft, created_at, updated_at)
        select 'flow_of_many_' || n, ${acme.user_id}, ${service_id}, 'One of many', '{}', now(), now() from generate_series(1, 200) n`,
      );
      await expect(copies(flow)).rejects.toEqual(refused('flows.too_many', 409));
      await execute(db, sql`delete from flow where flow_id like 'flow_of_many_%'`);
    });
  });

  describe('a preview of a flow', () => {
    let flow: AuthoredFlow;
    beforeAll(async () => {
      flow = await acme.flows.begins(service_id);
      await uploads(flow, 'contract', pdf());
      flow = await acme.flows.saves(flow, ORDER_WITH_CONTRACT);
    });

    it('shows a step with its problems', async () => {
      expect(await plays(flow)).toEqual({
        node: 'order',
        party: 'customer',
        title: 'Your order',
        elements: [
          { kind: 'field', slug: 'quantity', label: 'Quantity', text: null, value: null },
          { kind: 'text', slug: null, label: null, text: 'You pay —.', value: null },
        ],
        constants: [{ key: 'total', label: 'Total', value: null }],
        problems: expect.arrayContaining([{ slug: 'quantity', problem: 'must be answered' }]),
        next: null,
      });
      expect((await plays(flow, { step: { quantity: 'many' } })).problems).toContainEqual(expect.objectContaining({ slug: 'quantity' }));
      expect((await plays(flow, { step: { quantity: '100' } })).problems).toEqual([
        { slug: null, problem: 'with these answers no edge leads on' },
      ]);
    });

    it('continues to the end with the earlier answers, and stores nothing', async () => {
      const first = await plays(flow, { step: { quantity: '4' } });
      expect(first.constants).toEqual([{ key: 'total', label: 'Total', value: '50' }]);
      expect(first.next).toMatchObject({ status: 'awaiting_company', node: 'confirm', answers: { quantity: '4' } });

      const { node, answers } = first.next!;
      const last = await plays(flow, { node, answers, step: { order_number: 'A-1' } });
      expect(last.next).toEqual({
        status: 'generating',
        node: null,
        answers: { quantity: '4', order_number: 'A-1' },
        documents: [{ output_key: 'contract', name: 'Contract', rule: 0, source: 'contract' }],
        signing_line: [
          { position: 1, output_key: 'contract', party: 'customer', action: 'sign' },
          { position: 2, output_key: 'contract', party: 'company', action: 'sign' },
        ],
      });
      expect((await acme.flows.reads(flow)).draft_token).toBe(flow.draft_token);
    });

    it('is refused for a draft with errors and for an unknown step', async () => {
      const wrong = await acme.flows.begins(service_id);
      const cannot = refused('flows.definition_invalid', 422);
      await expect(plays(wrong)).rejects.toEqual(cannot);
      await expect(plays(flow, { node: 'nowhere' })).rejects.toEqual(cannot);
      await expect(plays(flow, { reference_date: 'today' })).rejects.toEqual(refused('request.invalid', 400));
    });
  });
});
