import { account, devices, tokens } from '@codase/contracts';
import { many, sql } from '@codase/runtime/db';
import { Device, eventually, World, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { ProjectionReader } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { DEVICE_KEYS } from '../../../src/access/devices/device-keys.ts';
import { frontDoorDatabase } from '../clients/account-clients-database.ts';
import { codeFor, phone, refresh } from '../../support/oauth-visitor.ts';

const NEEDS_DEVICE = { key: 'account.device_required', status: 403 };
const NOT_FOUND = { key: 'account.device_not_found', status: 404 };

describe('the devices of a person @gap D1-5', () => {
  let world: World;
  let db: DataSource;
  let person: Person;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    db = await frontDoorDatabase(world);
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });
  beforeEach(async () => {
    person = await world.signsUp({ type: 'person' });
  });

  const device = () => new Device(() => world.now);
  const signsIn = async (on?: Device) =>
    world.stranger.asks(tokens.issueToken, { body: await codeFor(phone(world), person, world.stranger) }, { device: on });
  const as = (on: Device | undefined, token: string) => ({
    lists: async () => (await world.stranger.asks(devices.listDevices, {}, { token, device: on })).items,
    renames: (deviceId: string, name: string) =>
      world.stranger.asks(devices.renameDevice, { params: { deviceId }, body: { name } }, { token, device: on }),
    removes: (deviceId: string) => world.stranger.asks(devices.removeDevice, { params: { deviceId } }, { token, device: on }),
    reads: () => world.stranger.asks(account.readProfile, {}, { at: world.regionUrl('eu'), token, device: on }),
  });
  const holds = async (on: Device) => as(on, (await signsIn(on)).access_token);
  const audited = () =>
    many<{ act: string; jkt: string }>(
      db,
      sql`select act, details->>'jkt' as jkt from audit.entry where account_id = ${person.user_id} and act like 'device.%' order by at`,
    );

  it('are registered by a sign-in with a key, named by a device, and none by a sign-in without', async () => {
    const on = device();
    const bearer = as(undefined, (await signsIn()).access_token);
    expect(await bearer.lists()).toEqual([]);

    const own = await holds(on);
    await signsIn(on);
    const [listed, ...more] = await own.lists();
    expect(more).toEqual([]);
    expect(listed).toMatchObject({ id: expect.stringMatching(/^dev_/), name: 'Device', jkt: expect.stringMatching(/^[\w-]{43}$/) });

    expect(await own.renames(listed!.id, "Ana's phone")).toEqual({ ...listed, name: "Ana's phone" });
    expect(await bearer.lists()).toEqual([{ ...listed, name: "Ana's phone" }]);
    await expect(own.renames(listed!.id, '')).rejects.toMatchObject({ key: 'request.invalid' });
    expect(await audited()).toEqual([{ act: 'device.added', jkt: listed!.jkt }]);
  });

  it('are removed with their sessions and their key, at every base', async () => {
    const [lost, kept] = [device(), device()];
    const { access_token, refresh_token } = await signsIn(lost);
    const { id, jkt } = (await as(lost, access_token).lists())[0]!;
    const other = await holds(kept);

    await other.removes(id);
    const ended = await eventually(() =>
      as(lost, access_token)
        .reads()
        .then(
          () => undefined,
          (error: unknown) => error,
        ),
    );
    expect(ended).toMatchObject({ key: 'auth.token_invalid' });
    await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!), { device: lost })).rejects.toMatchObject({
      key: 'oauth.invalid_grant',
    });
    await expect(signsIn(lost)).rejects.toMatchObject({ key: 'oauth.invalid_dpop_proof' });
    expect((await other.lists()).map((one) => one.id)).not.toContain(id);
    expect(await audited()).toContainEqual({ act: 'device.removed', jkt });
    await expect(other.removes(id)).rejects.toMatchObject(NOT_FOUND);
  });

  it('are changed by a device alone: not with a bearer token, nor with the token of a region and another key', async () => {
    const own = await holds(device());
    const { id } = (await own.lists())[0]!;
    const bearer = as(undefined, (await signsIn()).access_token);
    const ofRegion = as(undefined, await world.mints({ client_id: 'app_person', sub: person.user_id }, 'eu'));

    for (const other of [bearer, ofRegion]) {
      await expect(other.removes(id)).rejects.toMatchObject(NEEDS_DEVICE);
      await expect(other.renames(id, 'mine now')).rejects.toMatchObject(NEEDS_DEVICE);
    }
    expect(await own.lists()).toHaveLength(1);
  });

  it('come by a refresh only while the person has none: who has a refresh token alone adds no device', async () => {
    const [first, second] = [await signsIn(), await signsIn()];
    const [own, thief] = [device(), device()];
    const refreshes = (token: string, on: Device) => world.stranger.asks(tokens.issueToken, refresh(phone(world), token), { device: on });

    const { access_token } = await refreshes(first.refresh_token!, own);
    expect(await as(own, access_token).lists()).toHaveLength(1);
    await expect(refreshes(second.refresh_token!, thief)).rejects.toMatchObject({ key: 'oauth.invalid_grant' });
    expect(await as(own, access_token).lists()).toHaveLength(1);
    await expect(refreshes(second.refresh_token!, own)).resolves.toMatchObject({ token_type: 'DPoP' });
  });

  it('of another person are not found', async () => {
    const own = await holds(device());
    const { id } = (await own.lists())[0]!;
    person = await world.signsUp({ type: 'person' });
    const other = await holds(device());

    await expect(other.removes(id)).rejects.toMatchObject(NOT_FOUND);
    await expect(other.renames(id, 'mine now')).rejects.toMatchObject(NOT_FOUND);
  });

  it('are known to the regions by their keys, until they are removed or the account is', async () => {
    const rows = await ProjectionReader.open(await world.operator('platform'), DEVICE_KEYS, silentLog);
    const keys = () => rows.get(person.user_id)?.jkts;
    const has = (jkts: readonly string[]) =>
      eventually(async () => (keys()?.toSorted().join() === jkts.toSorted().join() ? true : undefined));
    const own = await holds(device());
    const first = (await own.lists())[0]!;
    await signsIn(device());
    const second = (await own.lists()).find(({ id }) => id !== first.id)!;

    await has([first.jkt, second.jkt]);
    await own.removes(second.id);
    await has([first.jkt]);
    await own.removes(first.id);
    const isGone = () => eventually(async () => (keys() === undefined ? true : undefined));
    expect(await isGone()).toBe(true);

    await signsIn(device());
    expect(await eventually(async () => (keys()?.length === 1 ? true : undefined))).toBe(true);
    await person.phone.requestsDeletion();
    const isIt = ({ to, subject }: { to: string; subject: string }) => to === person.email && subject.includes('deletes');
    await person.phone.confirmsDeletion((await eventually(async () => (await world.mails()).find(isIt)))!.code!);
    expect(await isGone()).toBe(true);
    await rows.close();
  });

  it('are at most twenty: a new one takes the place of the one that was used least recently', async () => {
    const first = device();
    const { refresh_token } = await signsIn(first);
    for (let nth = 0; nth < 19; nth++) {
      await world.passes({ seconds: 1 });
      await signsIn(device());
    }
    const last = await holds(device());

    expect(await last.lists()).toHaveLength(20);
    await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!), { device: first })).rejects.toMatchObject({
      key: 'oauth.invalid_dpop_proof',
    });
  });
});
