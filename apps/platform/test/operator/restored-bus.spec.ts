import { account, accountClients, OPERATOR, restoreMark, serviceClient, tokens } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { comesTrue, Device, World } from '@codase/testing';
import { IBAN } from '@codase/testing/operator-field-type';
import { lastPosition } from '../../src/foundation/audit/index.ts';
import { phone, signIn } from '../support/oauth-visitor.ts';
import { PUBLISHED_TABLES } from '../../src/capabilities.ts';

/** Restores the bus as docs/operations/backup-and-restore.md says. */
describe('a platform bus restored from an older copy', () => {
  let world: World;
  let operator: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    operator = await world.operator('platform');
  });
  afterAll(() => world?.close());

  const holds = async (call: Promise<unknown>) =>
    call.then(
      () => true,
      (error: { key: string }) => (error.key === 'auth.token_invalid' ? false : undefined),
    );

  /** Every row of every bucket. */
  async function published(): Promise<Record<string, Record<string, unknown>>> {
    const { streams } = await operator.manager();
    const rowsOf = async ({ bucket }: { bucket: string }) => {
      const { state } = await streams.info(`KV_${bucket}`, { subjects_filter: '>' });
      const rows = Object.keys(state.subjects ?? {}).map(async (subject) => {
        const row = (await streams.getMessage(`KV_${bucket}`, { last_by_subj: subject }))!;
        return [subject, row.header.get('KV-Operation') || row.json()];
      });
      return [bucket, Object.fromEntries(await Promise.all(rows))];
    };
    return Object.fromEntries(await Promise.all(PUBLISHED_TABLES.map(rowsOf)));
  }

  /** The position that the audit of each database has reached. It moves on while calls are refused. */
  const marks = async () => ({
    [`$KV.restore_marks.${restoreMark()}`]: await positionOf('front_door'),
    [`$KV.restore_marks.${restoreMark('eu')}`]: await positionOf('region_eu'),
  });

  async function positionOf(name: 'front_door' | 'region_eu') {
    const db = await world.opensDatabase(name);
    const { epoch, txid, seq } = await lastPosition(db);
    await db.destroy();
    return { epoch, txid, seq };
  }

  it('has every bucket up to date once a front door starts, so that what was ended or revoked is refused', async () => {
    const { acme, shop } = world;
    const ana = world.person('ANA');
    await Promise.all([shop.getsToken(), acme.signsIn(), ana.signsIn()]);
    const leaving = await world.signsUp({ type: 'person', region: 'eu' });
    const copy = await world.copiesBus();
    let ofCopy: Awaited<ReturnType<typeof published>>;
    await comesTrue(async () => void (ofCopy = await published()), 20);

    const { access_token } = await ana.getsToken();
    // A request that was under way when the bus went away may get no answer, so the caller asks again.
    await comesTrue(() => acme.asks(accountClients.createAccountClient, { body: { name: 'Robot', capabilities: [] } }));
    await acme.asks(serviceClient.regenerateServiceSecret, { params: { id: shop.service_id! } });
    await operator.request(OPERATOR.setLevel, {}, { user_id: acme.user_id, level: 'basic' });
    await operator.request(OPERATOR.setClientDisabled, {}, { client_id: world.boltShop.client_id, disabled: true });
    await operator.request(OPERATOR.setMode, {}, { region: 'us', writes_paused: true });
    await operator.request(OPERATOR.putFieldType, {}, IBAN);
    await world.registersProvider();
    await signIn(phone(world), ana, world.stranger, { device: new Device(() => world.now) });
    await leaving.phone.requestsDeletion();
    await leaving.phone.confirmsDeletion(
      (await world.mails()).find(({ to, subject }) => to === leaving.email && subject.includes('deletes'))!.code!,
    );
    await world.stranger.asks(tokens.revokeToken, { body: { token: access_token, client_id: 'app_person' } });
    await operator.request(OPERATOR.endSessions, {}, { user_id: acme.user_id });
    const profiles = () => Promise.all([acme, ana].map((user) => holds(user.asks(account.readProfile, {}))));
    await comesTrue(async () => expect(await profiles()).toEqual([false, false]));
    await comesTrue(async () => expect((await published())['restore_marks']).toEqual(await marks()));
    const before = await published();
    for (const bucket of Object.keys(ofCopy!)) expect([bucket, before[bucket]]).not.toEqual([bucket, ofCopy![bucket]]);

    await world.restoresBus(copy);
    await comesTrue(async () => expect(await profiles()).toEqual([true, true]));
    await world.starts('front-door', { PORT: '0', OPS_PORT: '0' });

    await comesTrue(async () => expect(await profiles()).toEqual([false, false]));
    await comesTrue(async () => expect(await published()).toEqual({ ...before, restore_marks: await marks() }));
  });
});
