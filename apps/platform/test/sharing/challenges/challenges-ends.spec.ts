import { customer, feed, FRONT_DOOR, OPERATOR, serviceClient, services } from '@codase/contracts';
import { execute, many, one, openDatabase, sql } from '@codase/runtime/db';
import { comesTrue, eventually, type Backend, type Company, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { refused } from '../connections/connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

describe('the end of open challenges @spec D1-3.1 @gap D1-3.1', () => {
  let moving: MovingWorld;
  let region: Record<'eu' | 'us', DataSource>;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    const open = (name: 'region_eu' | 'region_us') => moving.world.opensDatabase(name);
    region = { eu: await open('region_eu'), us: await open('region_us') };
  });
  afterAll(() => moving?.close());

  interface Asking {
    company: Company;
    code: string;
    backend: Backend;
    ana: Person;
  }
  const backendOf = async (company: Company, id: string): Promise<Backend> => {
    const { client_id, client_secret } = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    return moving.world.backendOf(company, { client_id, client_secret, service_id: id } as never);
  };
  /** Signs up a company with a service, and a person who is enrolled for it. */
  const asking = async (home: 'eu' | 'us' = 'eu'): Promise<Asking> => {
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'pro' });
    const { id, share_code } = await moving.creates(company, 'Club');
    const backend = await backendOf(company, id);
    const ana = await moving.world.signsUp({ type: 'person', region: home });
    const code = `${company.share_code}/${share_code}`;
    await ana.connections.connects(code);
    await ana.phone.enrols(backend);
    return { company, code, backend, ana };
  };
  const kindsFor = async ({ user_id }: Person, home: 'eu' | 'us') => {
    const rows = await many<{ kind: string }>(region[home], sql`select kind from app_event where person_user_id = ${user_id} order by seq`);
    return rows.map(({ kind }) => kind);
  };
  const statusOf = async ({ challenge_id }: { challenge_id: string }) =>
    (await one<{ status: string }>(region.eu, sql`select status from challenge where challenge_id = ${challenge_id}`))?.status;

  it('revokes them when the client is deleted, and the next client reads the outcome', async () => {
    const { company, backend, ana } = await asking();
    const raised = await backend.challenges.raises(ana);
    const params = { id: backend.service_id! };

    await company.asks(serviceClient.deleteServiceClient, { params });

    await expect(ana.phone.approves(raised)).rejects.toEqual(refused('twofa.challenge_closed', 409));
    const next = await backendOf(company, params.id);
    expect(await next.challenges.polls(raised)).toMatchObject({ status: 'revoked' });
    expect((await next.asks(feed.drainChanges, { query: {} })).events.at(-1)).toMatchObject({
      event: '2fa_challenge_completed',
      challenge_id: raised.challenge_id,
      status: 'revoked',
    });
    await expect(next.challenges.raises(ana)).resolves.toMatchObject({ status: 'pending' });
    expect(await kindsFor(ana, 'eu')).toEqual(['challenge_raised', 'challenge_closed', 'challenge_raised']);
  });

  it('revokes them when the client is deleted, also if the region crashed before it could do so', async () => {
    const { company, backend, ana } = await asking();
    const raised = await backend.challenges.raises(ana);

    const own = { company_user_id: company.user_id, service_id: backend.service_id! };
    await moving.operator.request(FRONT_DOOR.deleteClient, { region: 'eu' }, own);

    await eventually(async () => (await statusOf(raised)) === 'revoked' || undefined);
    await expect(ana.phone.approves(raised)).rejects.toEqual(refused('twofa.challenge_closed', 409));
  });

  it('deletes them and the enrolments when the service is deleted', async () => {
    const { company, backend, ana } = await asking('us');
    const raised = await backend.challenges.raises(ana);
    expect(await ana.phone.cards()).toHaveLength(1);

    await company.asks(services.deleteService, { params: { id: backend.service_id! } });

    expect([await ana.phone.cards(), await ana.phone.enrolments()]).toEqual([[], []]);
    await expect(ana.phone.approves(raised)).rejects.toEqual(refused('twofa.challenge_not_found', 404));
    await eventually(async () => (await kindsFor(ana, 'us')).includes('challenge_closed') || undefined);
  });

  it('revokes them when the connection ends, without a deadlock with a change of its documents', async () => {
    const { backend, ana } = await asking();
    const raised = await backend.challenges.raises(ana);
    await backend.documents.issues(ana);
    const { items } = await ana.asks(customer.listCustomerConnections, { query: {} });
    let ending: Promise<unknown> | undefined;
    await inOwnTransaction(moving.internals.database('region_eu'), async (tx) => {
      await execute(tx, sql`select from document where person_user_id = ${ana.user_id} for update`);
      ending = ana.connections.disconnects(items[0]!);
      await comesTrue(async () => expect(await lockWaits(tx, 'transactionid')).toBeGreaterThan(0));
      await execute(tx, sql`select from app_event_log where person_user_id = ${ana.user_id} for update nowait`);
    });

    await ending;
    expect(await statusOf(raised)).toBe('revoked');
  });

  it("keeps them and the enrolments when the company's level falls @spec D1-4.5", async () => {
    const { company, backend, ana } = await asking();

    await moving.operator.request(OPERATOR.setLevel, {}, { user_id: company.user_id, level: 'basic' });

    const raised = await backend.challenges.raises(ana);
    expect((await ana.phone.approves(raised)).status).toBe('approved');
  });

  it('keeps them when the company moves, and delivers each outcome once', async () => {
    const { company, backend, ana } = await asking();
    const [open, answered] = [await backend.challenges.raises(ana, { key: 'open' }), await backend.challenges.raises(ana)];
    await ana.phone.denies(answered);

    await moving.moves(company, 'us');
    await moving.arrives(company);
    await backend.getsToken();

    expect(await backend.challenges.raises(ana, { key: 'open' })).toEqual(open);
    expect((await ana.phone.cards()).map(({ challenge_id }) => challenge_id)).toEqual([open.challenge_id]);
    expect((await ana.phone.approves(open)).status).toBe('approved');
    expect(await backend.challenges.polls(open)).toMatchObject({ status: 'approved' });
    expect(await backend.challenges.polls(answered)).toMatchObject({ status: 'denied' });
    await expect(backend.challenges.polls(answered)).rejects.toEqual(refused('twofa.result_consumed', 410));
    await expect(backend.challenges.raises(ana)).resolves.toMatchObject({ status: 'pending' });
  });

  it('keeps them while the database is unavailable, and consumes nothing @spec D1-7 @spec D1-4.5', async () => {
    const { backend, ana } = await asking();
    const raised = await backend.challenges.raises(ana);
    await ana.phone.approves(raised);
    const admin = await openDatabase({ url: process.env['CODASE_TEST_POSTGRES_URL']!, name: 'unreachable', pool: 1 });
    const name = new URL(moving.world.databaseUrl('region_eu')).pathname.slice(1);
    try {
      await admin.query(`alter database ${name} connection limit 0`);
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [name]);

      for (const call of [
        () => backend.challenges.polls(raised),
        () => backend.challenges.raises(ana),
        () => ana.phone.cards(),
        () => ana.phone.approves(raised),
        () => ana.phone.denies(raised),
      ])
        await expect(
          eventually(() => call().then(noAnswer, ({ key }: { key: string }) => (key === 'twofa.unavailable' ? key : undefined))),
        ).resolves.toBe('twofa.unavailable');
    } finally {
      await admin.query(`alter database ${name} connection limit -1`);
      await admin.destroy();
    }

    const outcome = await eventually(() => backend.challenges.polls(raised).catch(() => undefined));
    expect(outcome).toMatchObject({ status: 'approved' });
  });
});

function noAnswer(): never {
  throw new Error('the database was reached');
}
