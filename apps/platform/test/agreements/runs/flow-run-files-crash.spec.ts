import { customer, customerRuns, runs } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { comesTrue, eventually, World, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { asksFor, envelope } from '../../sharing/connections/connections-world.ts';
import { ORDER, orderWith, publishes } from './flow-runs-world.ts';

/** Moments at which the region of the company is killed. At each, a trigger holds the transaction that comes there. */
const STEPS = {
  'a piece came': ['after insert on flow_run_piece', 'abs(new.position) = 2'],
  'the file is written, its commit has begun': ['after insert on flow_run_file deferrable initially deferred', 'new.slug is not null'],
  'the customer has the content, the file is not committed': ['after insert on flow_run_file', 'new.source_user_id is not null'],
} as const;
type Step = keyof typeof STEPS;
const CLASS = 4712;
const KEY = 'conn:customer:register';

const stopping = (step: Step, nth: number) => `
  create function stop_${nth}() returns trigger language plpgsql as $$
  begin
    if (${STEPS[step][1]}) and exists (select from crash_stop where step = '${step}') and pg_try_advisory_xact_lock(${CLASS}, ${nth}) then
      while exists (select from crash_stop where step = '${step}') loop perform pg_sleep(0.02); end loop;
    end if;
    return new;
  end $$`;
const trigger = (step: Step, nth: number) =>
  `create ${STEPS[step][0].includes('deferr') ? 'constraint ' : ''}trigger stop_${nth} ${STEPS[step][0]}
    for each row execute function stop_${nth}()`;

/** A flow whose document is made of a PDF that the customer shared. */
const CONTRACT = orderWith((definition) => {
  definition.output_mode = 'document';
  const rules = [{ source_connection: { party: 'customer', request_slug: 'register' }, languages: 'all' as const }];
  definition.nodes[3]!.output = { language_party: 'customer', documents: [{ output_key: 'contract', name: 'Contract', rules }] };
});

describe('files of runs between two regions when one is killed @spec D2-4.1 @spec D2-4.2', () => {
  let world: World;
  let eu: DataSource;
  let us: DataSource;
  let ben: Person;
  let connection: OwnConnection;
  beforeAll(async () => {
    world = await World.open({ processes: ['region-eu'], units: ['front-door', 'region-eu', 'region-us'] });
    [eu, us] = await Promise.all([world.opensDatabase('region_eu', { role: 'owner', pool: 2 }), world.opensDatabase('region_us')]);
    await execute(eu, sql`create table crash_stop (step text)`);
    await execute(eu, sql`grant select on crash_stop to public`);
    for (const [nth, step] of (Object.keys(STEPS) as Step[]).entries()) {
      await eu.query(stopping(step, nth));
      await eu.query(trigger(step, nth));
    }
    await asksFor(world.acme, world.shop.service_id!, [{ slug: 'register', label: 'Register', type: 'pdf_document' }]);
    ben = world.person('BEN');
    connection = await ben.connections.connects('ACME/SHOP');
  });
  afterAll(() => world?.close());

  const holds = (...steps: Step[]) => execute(eu, sql`insert into crash_stop select unnest(${steps}::text[])`);
  const isHeld = (step: Step) =>
    one(
      eu,
      sql`
      select 1 from pg_locks
       where locktype = 'advisory' and classid = ${CLASS} and objid = ${Object.keys(STEPS).indexOf(step)} and granted`,
    );
  /** Kills the region when a transaction is at the step. Statements that Postgres got before go on, and then the region comes back. */
  const killsAt = async (step: Step, { isLast = false } = {}) => {
    await eventually(() => isHeld(step));
    await world.kill('region-eu');
    await execute(eu, sql`delete from crash_stop where step = ${step}`);
    await eventually(async () => ((await isHeld(step)) ? undefined : true));
    await (isLast ? world.comesBack('region-eu') : world.restart('region-eu'));
  };

  it('are sent again until they have arrived, each stored once @gap D2-4.2', async () => {
    const flow = await publishes(world.acme, world.shop.service_id!, ORDER);
    const run = await world.shop.flows.starts(flow, { target: { connection_id: connection.id } });
    const words = `scan ${'x'.repeat(400_000)}`;
    await holds('a piece came', 'the file is written, its commit has begun');

    const attached = ben.flows.attaches(connection, run, 'scan', words);
    await killsAt('a piece came');
    await killsAt('the file is written, its commit has begun');
    const scan = await attached;

    const files = () => many<{ file_id: string }>(eu, sql`select file_id from flow_run_file where run_id = ${run.id}`);
    const named = scan.values.map(({ value }) => (JSON.parse(value) as { _enc_file: string })._enc_file);
    expect((await files()).map(({ file_id }) => file_id).toSorted()).toEqual(named.toSorted());
    await ben.flows.answers(connection, run, {}, { next_node: 'price' }, [scan]);
    await world.shop.getsToken();
    const copy = (await world.shop.asks(runs.readAnswerFile, { params: { runId: run.id, slug: 'scan' } })) as { value: string };
    expect((await world.shop.opens(copy.value)) === words).toBe(true);
    expect(await many(us, sql`select from flow_run_content where not taken`)).toEqual([]);
  });

  it('leave no orphaned content after the crash, and can be staged again @gap D2-4.1', async () => {
    const flow = await publishes(world.acme, world.shop.service_id!, CONTRACT);
    const register = await ben.sealsFor(world.shop, JSON.stringify(envelope('application/pdf', '%PDF-1.7')));
    const values = [{ slug: 'register', value: register, live: false, source_private: true }];
    await ben.asks(customer.changeCustomerConnection, { params: { connectionId: connection.id }, body: { values } });
    const stages = async (recipient: { public_key: string }) => {
      const body = { source_user_id: ben.user_id, value: await world.shop.sealsFor(recipient, 'a register') };
      return (await world.shop.asks(runs.stageRunFile, { params: { flowId: flow }, body })).file;
    };
    const contents = async () =>
      (await many<{ file_id: string }>(us, sql`select file_id from flow_run_content where taken order by file_id`)).map(
        ({ file_id }) => file_id,
      );
    await holds('the customer has the content, the file is not committed');

    const cut = stages(world.shop).catch(() => 'cut off');
    await killsAt('the customer has the content, the file is not committed', { isLast: true });
    expect(await cut).toBe('cut off');
    const [orphan, ...rest] = await contents();
    expect([typeof orphan, rest, await many(eu, sql`select from flow_run_file where file_id = ${orphan!}`)]).toEqual(['string', [], []]);

    const files = [await stages(world.shop), await stages(ben)];
    const source_files = [world.shop.company_user_id, ben.user_id].map((for_user_id, nth) => ({
      source_key: KEY,
      for_user_id,
      file: files[nth]!,
    }));
    const body = { target: { connection_id: connection.id }, flow_version: 1, source_files };
    const run = await world.shop.asks(runs.startRun, { params: { flowId: flow }, body });
    expect(await contents()).toEqual([orphan!, ...files].toSorted());

    await world.passes({ hours: 24 });

    await comesTrue(async () => expect(await contents()).toEqual(files.toSorted()));
    await world.shop.getsToken();
    const read = (await world.shop.asks(runs.readSourceFile, { params: { runId: run.id, sourceKey: KEY } })) as { value: string };
    expect(await world.shop.opens(read.value)).toBe('a register');
    const params = { connectionId: connection.id, runId: run.id, file: files[1]! };
    await ben.signsIn();
    const own = (await ben.asks(customerRuns.readCustomerAnswerFile, { params })) as { value: string };
    expect(await ben.opens(own.value)).toBe('a register');
  });
});
