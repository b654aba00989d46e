import { runs } from '@codase/contracts';
import type { CodaseClient } from '@codase/client';
import { eventually, World } from '@codase/testing';
import { ORDER_CONTRACT_FLOW, ORDER_FLOW, setScene, shopConnection } from '@codase/stack';
import { COMMANDS } from '../src/commands.ts';
import { cancelRun, listFlows, listRuns, resumeRun, showRun, startFlow, typesOfFlow } from '../src/flows.ts';
import { listRunDocuments } from '../src/run-documents.ts';
import { playOrder } from '../src/play-order.ts';
import type { Read } from '../src/command.ts';
import { run, targetIn } from './run.ts';

/** Runs the demo's shop without its own backend, which the test plays. */
describe('npm run codase -- flows on a running stack @spec D2-4.1', () => {
  let world: World;
  let codase: CodaseClient;
  let connection_id: string;
  let flow_id: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'gateway', 'feed-consumer', 'decryptor', 'flows'] });
    await setScene({ person: (code) => world.person(code), company: () => world.acme });
    connection_id = (await shopConnection(world.person('ANA')))!.id;
    codase = await world.internalService();
    const { items } = await world.shop.asks(runs.listPublishedFlows, { query: {} });
    flow_id = items.find(({ name }) => name === ORDER_FLOW)!.id;
  });
  afterAll(() => world?.close());

  /** Runs the command to its end. Returns its exit code, what it printed, the result that --json shows, and its notes. */
  const does = async (command: Read, ...words: string[]) => {
    const { ended, said, results, notes } = run(command, words, targetIn(world));
    return { code: await ended, said: said.join('\n'), result: results[0]!, notes };
  };
  const prices = (flow = ORDER_FLOW) =>
    codase.flows.onTurn(flow, { price: ({ answers }) => ({ price: 2 * Number(answers['quantity']), delivery: '2026-03-05' }) });

  it('play runs the demo flow from start to end', async () => {
    const turns = prices();
    const { code, said, result, notes } = await does(playOrder, '--quantity', '4');
    await turns.stop();

    expect([code, said]).toEqual([0, 'Ana Lind agrees: the run is completed']);
    expect(result).toMatchObject({ share_code: 'ANA', quantity: 4, price: '8', delivery: '2026-03-05', status: 'completed' });
    expect(notes).toEqual([
      expect.stringContaining('the shop starts a run of Order with Ana Lind'),
      'Ana Lind orders 4 boxes',
      "the shop's own service answers: 8, delivered on 2026-03-05",
    ]);
  });

  it('play --contract runs the flow that ends with a contract signed by both parties', async () => {
    const turns = prices(ORDER_CONTRACT_FLOW);
    const shopSigns = (async () => {
      const [{ flow_run_id }, copy] = await eventually(async () => {
        for (const { id } of (await world.shop.flows.list()).filter(({ status }) => status === 'awaiting_signature')) {
          const open = (await codase.flows.documents(id)).find((one) => one.own && one.open);
          if (open) return [{ flow_run_id: id }, open] as const;
        }
        return undefined;
      });
      return codase.flows.sign(flow_run_id, copy.output_key, { method: 'custodian', first_name: 'Shop', last_name: 'Keeper' });
    })();
    const { code, said, result, notes } = await does(playOrder, '--contract');
    await turns.stop();
    expect(await shopSigns).toMatchObject({ output_key: 'contract', document_status: 'active' });

    expect([code, said]).toEqual([0, "the shop's own service signs it, and the platform seals it: the run is completed"]);
    expect(result).toMatchObject({ share_code: 'ANA', quantity: 3, price: '6', document_id: expect.any(String), status: 'completed' });
    expect(notes.slice(2)).toEqual([
      "the shop's own service answers: 6, delivered on 2026-03-05",
      'flows has the contract generated',
      'Ana Lind signs it',
      expect.stringContaining(`flows download ${String(result['flow_run_id'])} contract`),
    ]);
    expect((await does(listRunDocuments, result['flow_run_id'] as string)).result['documents']).toMatchObject([
      { party_key: 'customer', action: 'signed', document_status: 'active' },
      { party_key: 'company', action: 'signed', document_status: 'active', own: true },
    ]);
  });

  it('start takes a flow by name, show prints where its run waits, and cancel ends it', async () => {
    const started = await does(startFlow, 'Order', '--to', `customer=${connection_id}`, '--key', 'order-1');
    const id = started.result['flow_run_id'] as string;
    expect(started.said).toBe(`${id} is awaiting_customer`);
    expect((await does(startFlow, 'Order', '--to', `customer=${connection_id}`, '--key', 'order-1')).result).toMatchObject({
      flow_run_id: id,
    });

    const shown = await does(showRun, id);
    expect(shown.said).toContain('price');
    expect(shown.result).toMatchObject({ id, flow_id, status: 'awaiting_customer', current_node: 'order', turn: null });
    await world.person('ANA').flows.answers({ id: connection_id }, { id }, { quantity: '2' }, { next_node: 'price' });
    const waiting = await eventually(async () => {
      const { result } = await does(showRun, id);
      return result['turn'] ? result : undefined;
    });
    expect(waiting['turn']).toMatchObject({ node: 'price', state: 'open' });

    expect((await does(listRuns, '--status', 'awaiting_company')).result).toMatchObject({ items: [{ id, current_node: 'price' }] });
    expect(await does(cancelRun, id)).toMatchObject({ code: 0, said: `${id} is cancelled`, result: { status: 'cancelled' } });
    expect((await does(listRuns, '--status', 'awaiting_company')).said).toBe('No runs.');
  });

  it('reports that a run has no documents and no parked turn', async () => {
    const { result } = await does(startFlow, 'Order', '--to', connection_id);
    const id = result['flow_run_id'] as string;

    expect(await does(listRunDocuments, id)).toMatchObject({ code: 0, said: 'No documents.', result: { documents: [] } });
    await expect(does(resumeRun, id)).rejects.toThrow('Nothing of this run is parked');
    await expect(does(listRunDocuments, 'run_none')).rejects.toThrow('npm run codase -- flows runs shows what there is');
    await does(cancelRun, id);
  });

  it('list prints every published flow, even one without runs', async () => {
    const begun = await world.acme.flows.begins(world.shop.service_id!, 'Return');
    const { draft } = await world.acme.flows.reads({ id: flow_id });
    const { id } = await world.acme.flows.publishes(world.shop.service_id!, draft, begun);
    const { said, result } = await does(listFlows);

    expect(result['flows']).toMatchObject({
      [flow_id]: { name: 'Order', version: 1, runs: { completed: 1, cancelled: 2 } },
      [id]: { name: 'Return', version: 1, runs: {} },
    });
    expect(said).toMatch(new RegExp(`${id} +Return +version 1 +no runs`));
  });

  it('types takes a flow by name', async () => {
    const { said, result } = await does(typesOfFlow, 'Order');
    expect(result).toMatchObject({ flow_id, version: 1 });
    expect(said).toContain('price: {');
    expect(said).toContain('quantity?: number;');
  });

  it('reports each error in a sentence', async () => {
    const twice = await world.acme.flows.begins(world.shop.service_id!, 'Return');
    const { draft } = await world.acme.flows.reads({ id: flow_id });
    await world.acme.flows.publishes(world.shop.service_id!, draft, twice);
    const start = (flow: string, to = connection_id) => does(startFlow, flow, '--to', to);

    await expect(start('Return')).rejects.toThrow('Several published flows of the service have this name');
    await expect(does(typesOfFlow, 'Return')).rejects.toThrow('npm run codase -- flows list shows their ids');
    await expect(start('Nothing')).rejects.toThrow('No published flow of the service has this name');
    await expect(start('Order', 'conn_none')).rejects.toThrow('--to names connections of this service');
    await expect(does(showRun, 'run_none')).rejects.toThrow('npm run codase -- flows runs shows what there is');
    expect(() => startFlow(['Order'])).toThrow('Say with whom');
    expect(() => startFlow([])).toThrow('FLOW is missing');
    for (const quantity of ['1001', '2.5']) expect(() => playOrder(['--quantity', quantity])).toThrow('a whole number from 1 to 1000');
  });

  it('lists every flows command in the help', () => {
    const named = Object.keys(COMMANDS).filter((name) => name.startsWith('flows '));
    expect(named.map((name) => name.slice(6)).toSorted()).toEqual([
      'accept',
      'cancel',
      'decline',
      'documents',
      'download',
      'list',
      'play',
      'resume',
      'runs',
      'show',
      'sign',
      'start',
      'types',
    ]);
    for (const name of named) expect(COMMANDS[name]!.usage).toMatch(new RegExp(`^${name}`));
  });
});
