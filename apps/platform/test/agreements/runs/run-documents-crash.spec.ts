import { createOneTimeKey, sealBox } from '@codase/crypto';
import { runs } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { eventually } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { contractSignedBy, idOf, lineOf, openedPdf, RunDocumentsWorld, VALUES } from './run-documents-world.ts';

const CLASS = 4713;
/** Stops whoever adds a document or a signature, as long as there is a row in `crash_stop`. */
const STOPS = [
  `create table crash_stop (step int)`,
  `grant select on crash_stop to public`,
  `create function crash_stop() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${CLASS}, tg_relid::int) where exists (select from crash_stop);
    while exists (select from crash_stop) loop perform pg_sleep(0.02); end loop;
    return new;
  end $$`,
  ...['document', 'document_signature'].map(
    (table) => `create trigger crash_stop before insert on ${table} for each row execute function crash_stop()`,
  ),
];

describe('a region that is killed while it generates and signs documents of runs @spec D2-4.3 @spec D2-8', () => {
  let at: RunDocumentsWorld;
  let owner: DataSource;
  beforeAll(async () => {
    at = await RunDocumentsWorld.open({ processes: ['region-eu'], units: ['front-door', 'region-eu'] });
    owner = await at.world.opensDatabase('region_eu', { role: 'owner', pool: 2 });
    for (const statement of STOPS) await owner.query(statement);
  });
  afterAll(() => at?.close());

  /** How many calls are stopped. */
  const stopped = async () =>
    (await many(owner, sql`select from pg_locks where locktype = 'advisory' and classid = ${CLASS} and granted`)).length;

  it('leaves the runs unchanged, so that both calls can be repeated', async () => {
    const flow = await at.publishes(contractSignedBy([{ party: 'company', action: 'sign' }]));
    const [generating, signing] = [await at.atLeaf(flow), await at.signing(flow)];
    const otk = createOneTimeKey();
    const body = { otk, values: await sealBox(otk, Buffer.from(JSON.stringify(VALUES))) };
    const generate = () => at.shop.asks(runs.generateDocuments, { params: { runId: generating.run.id }, body });
    const sign = () => at.shop.flows.signsOutput(signing.run, 'contract', signing.pdf);
    await execute(owner, sql`insert into crash_stop values (1)`);

    const calls = [generate, sign].map((call) => call().catch(() => 'cut off'));
    await eventually(async () => ((await stopped()) === 2 ? true : undefined));
    await at.world.kill('region-eu');
    expect(await Promise.all(calls)).toEqual(['cut off', 'cut off']);
    await execute(owner, sql`delete from crash_stop`); // statements that Postgres got before the kill go on
    await eventually(async () => ((await stopped()) === 0 ? true : undefined));
    await at.world.comesBack('region-eu');

    expect(await at.shop.flows.reads(generating.run)).toMatchObject({ status: 'generating' });
    expect(lineOf(await at.shop.flows.reads(signing.run))).toEqual(['contract company 1 ready_to_sign -', 'contract customer - active -']);
    expect(await at.waiting(generating.run)).toEqual({ uploads: 4, inputs: 0 });
    expect(await generate()).toMatchObject({ status: 'awaiting_signature' });
    expect(await sign()).toMatchObject({ status: 'active', sealed_at: expect.any(String) });
    expect(await at.shop.flows.reads(signing.run)).toMatchObject({ status: 'completed' });
    const { person, made, pdf } = signing;
    const own = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    expect(own.subarray(0, pdf.length)).toEqual(pdf);
  });

  it('deletes the document copies that no completed call used', async () => {
    expect(await many(at.db, sql`select from document_content where document_id is null`)).toHaveLength(4);

    await at.world.passes({ hours: 2 });

    await eventually(async () =>
      (await many(at.db, sql`select from document_content where document_id is null`)).length === 0 ? true : undefined,
    );
  });
});
