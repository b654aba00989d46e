import { envelopeOf } from '@codase/actors';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { RUN_SUBJECTS, runs } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { customerSide, eventually, generates, ownerSide, pdfThatShows, serviceSide } from '@codase/testing';
import { refused } from '../../sharing/connections/connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import {
  contractSignedBy,
  contractWith,
  idOf,
  leaseFilledBy,
  lineOf,
  RunDocumentsWorld,
  signatureOf,
  VALUES,
} from './run-documents-world.ts';

const NOTHING = { uploads: 0, inputs: 0 };
const LEASE = pdfThatShows('A lease for {{order_number}}.');
const notOpen = refused('documents.transition_invalid', 409);

describe('documents of a run under concurrent calls @spec D2-3 @spec D2-8', () => {
  const at = new RunDocumentsWorld();
  let ofCompany: string;
  let ofBoth: string;
  let plain: string;
  beforeAll(async () => {
    await at.open();
    plain = await at.publishes(contractWith());
    ofCompany = await at.publishes(contractSignedBy([{ party: 'company', action: 'sign' }]));
    ofBoth = await at.publishes(
      contractSignedBy([
        { party: 'customer', action: 'sign' },
        { party: 'company', action: 'sign' },
      ]),
    );
  });
  afterAll(() => at.close());

  const reasons = (acts: readonly PromiseSettledResult<unknown>[]) =>
    acts.flatMap((act) => (act.status === 'rejected' ? [act.reason as unknown] : []));
  /** What the acts on a run have left: its state, its signing line, and how many signatures. */
  const tracesOf = async ({ id }: { id: string }) => {
    const run = await at.shop.flows.reads({ id });
    const { signatures } = (await one<{ signatures: number }>(
      at.db,
      sql`select count(*)::int as signatures from document_signature join document using (document_id) where run_id = ${id}`,
    ))!;
    return [run.status, ...lineOf(run), `${signatures} signatures`];
  };

  it('are sealed once when both clients of the company give the last signature at the same time', async () => {
    const { run, pdf, flow: flowId } = await at.signing(ofCompany);
    const sides = [serviceSide(at.shop), ownerSide(at.world.automation, { id: at.shop.service_id!, flowId })];
    const body = await signatureOf(pdf);

    const acts = await Promise.allSettled(sides.map(({ outputs }) => outputs.sign(run.id, 'contract', body)));

    expect(reasons(acts)).toEqual([notOpen]);
    expect(await tracesOf(run)).toEqual(['completed', 'contract company 1 active signed', 'contract customer - active -', '1 signatures']);
    expect(await at.waiting(run)).toEqual(NOTHING);
  });

  it.each(['eu', 'us'] as const)('accept one of two concurrent signatures of a person of %s', async (region) => {
    const { run, pdf, person, made } = await at.signing(ofBoth, { region });

    const acts = await Promise.allSettled([1, 2].map(() => person.documents.signs(idOf(made, 'customer'), pdf)));

    expect(reasons(acts)).toEqual([notOpen]);
    expect(await tracesOf(run)).toEqual([
      'awaiting_signature',
      'contract customer 1 active signed',
      'contract company 2 ready_to_sign -',
      '1 signatures',
    ]);
  });

  it('are either signed or declined when both requests arrive at once', async () => {
    const { run, pdf } = await at.signing(ofCompany);

    const [signed, declined] = await Promise.allSettled([
      at.shop.flows.signsOutput(run, 'contract', pdf),
      at.shop.flows.declinesOutput(run, 'contract'),
    ]);

    expect(reasons([signed!, declined!])).toEqual([notOpen]);
    const ended = ['cancelled', 'contract company 1 ended -', 'contract customer - active -', '0 signatures'];
    const done = ['completed', 'contract company 1 active signed', 'contract customer - active -', '1 signatures'];
    expect(await tracesOf(run)).toEqual(signed!.status === 'fulfilled' ? done : ended);
    expect(await at.waiting(run)).toEqual(NOTHING);
  });

  it('are not issued when the run is cancelled while they are filled', async () => {
    const { run } = await at.atLeaf(plain);
    const lock = at.db.createQueryRunner();
    await lock.startTransaction();
    await execute(lock.manager, sql`select from flow_run where run_id = ${run.id} for update`);
    const generating = generates(serviceSide(at.shop), run.id, { values: VALUES }).catch((error: unknown) => error);
    await eventually(async () => ((await at.waiting(run)).uploads === 2 && (await lockWaits(at.db)) > 0 ? true : undefined));
    await execute(lock.manager, sql`update flow_run set status = 'cancelled', current_node = null where run_id = ${run.id}`);
    await lock.commitTransaction();
    await lock.release();

    expect(await generating).toEqual(refused('flows.not_generatable', 409));
    expect([await tracesOf(run), await at.waiting(run)]).toEqual([['cancelled', '0 signatures'], NOTHING]);
  });

  it('are generated before a concurrent cancellation or not at all, and none stays open', async () => {
    const { run } = await at.atLeaf(plain);

    const [generated, cancelled] = await Promise.allSettled([
      generates(serviceSide(at.shop), run.id, { values: VALUES }).then(() => 'generated'),
      at.shop.flows.cancels(run),
    ]);

    expect(cancelled).toMatchObject({ status: 'fulfilled', value: { status: 'cancelled' } });
    const outcome: unknown = generated!.status === 'fulfilled' ? generated!.value : generated!.reason;
    expect(['generated', refused('flows.not_generatable', 409)]).toContainEqual(outcome);
    expect(await many(at.db, sql`select from document where run_id = ${run.id} and status <> 'ended'`)).toEqual([]);
    expect(await at.waiting(run)).toEqual(NOTHING);
  });

  it('are generated once for concurrent calls, of which only a few may wait', async () => {
    const { run } = await at.atLeaf(plain);
    const lock = at.db.createQueryRunner();
    await lock.startTransaction();
    await execute(lock.manager, sql`select from flow_run where run_id = ${run.id} for update`);
    let refusals = 0;
    const calls = Array.from({ length: 8 }, () =>
      generates(serviceSide(at.shop), run.id, { values: VALUES }).catch((error: unknown) => {
        refusals++;
        throw error;
      }),
    );
    const done = Promise.allSettled(calls);
    await eventually(async () => (refusals === 3 && (await lockWaits(at.db)) > 0 ? true : undefined));
    expect(await at.waiting(run)).toEqual({ uploads: 2, inputs: 0 });
    await lock.commitTransaction();
    await lock.release();

    const ends = await done;
    expect(reasons(ends)).toEqual([1, 2, 3].map(() => refused('service.overloaded', 503)));
    const sets = ends.flatMap((end) => (end.status === 'fulfilled' ? [JSON.stringify(end.value.documents)] : []));
    expect([sets.length, new Set(sets).size]).toEqual([5, 1]);
    expect(await at.waiting(run)).toEqual(NOTHING);
  });

  it('are the same set for a caller that disconnected and repeats the request', async () => {
    const { run } = await at.atLeaf(plain);
    const hangsUp = new AbortController();
    const otk = createOneTimeKey();
    const body = { otk, values: await sealBox(otk, Buffer.from(JSON.stringify(VALUES))) };
    const asks = (options = {}) => at.shop.asks(runs.generateDocuments, { params: { runId: run.id }, body }, options);
    const lock = at.db.createQueryRunner();
    await lock.startTransaction();
    await execute(lock.manager, sql`select from flow_run where run_id = ${run.id} for update`);
    const given = asks({ signal: hangsUp.signal }).catch(() => 'hung up');
    await eventually(async () => ((await lockWaits(at.db)) > 0 ? true : undefined));
    hangsUp.abort();
    expect(await given).toBe('hung up');
    await lock.commitTransaction();
    await lock.release();

    const made = await asks();

    expect(await asks()).toEqual(made);
    await eventually(async () => ((await at.waiting(run)).uploads === 0 ? true : undefined));
    expect(await many(at.db, sql`select from document where run_id = ${run.id}`)).toHaveLength(2);
  });

  it('are not issued when the request of another region has timed out', async () => {
    const flow = await at.publishes(leaseFilledBy('customer'));
    const { run, person, connection } = await at.atLeaf(flow, { region: 'us', lease: LEASE });
    const [side, otk] = [customerSide(person, connection), createOneTimeKey()];
    const { input } = await side.uploadInput(run.id, { source_key: 'field:lease', value: await sealBox(otk, envelopeOf(LEASE)) });
    const values = await sealBox(otk, Buffer.from(JSON.stringify(VALUES)));
    const generation = { otk, values, inputs: [{ source_key: 'field:lease', input }] };
    const operator = await at.world.operator('platform');
    const request = { user_id: person.user_id, connection_id: connection.id, run_id: run.id, generation };
    const lock = at.db.createQueryRunner();
    await lock.startTransaction();
    await execute(lock.manager, sql`select from flow_run where run_id = ${run.id} for update`);

    const given = operator.request(RUN_SUBJECTS.generate, { region: 'eu' }, request, { timeout: 300 });
    await expect(given).rejects.toEqual(refused('service.unavailable', 503));
    await lock.commitTransaction();
    await lock.release();

    await eventually(async () => ((await at.waiting(run)).uploads === 0 ? true : undefined));
    expect(await side.read(run.id)).toMatchObject({ status: 'generating' });
    expect(await side.generate(run.id, generation)).toMatchObject({ status: 'awaiting_signature' });
  });
});
