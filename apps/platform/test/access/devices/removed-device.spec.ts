import { ACT_HEADER, devices, tokens, type Endpoint } from '@codase/contracts';
import { Device, eventually, World, type Person } from '@codase/testing';
import { GUARDED, GUARDED_AT_FRONT_DOOR, mayCall, sampleOf } from '../../every-route/callers.ts';
import { codeFor, phone, refresh } from '../../support/oauth-visitor.ts';

const named = (endpoints: readonly Endpoint[]) => endpoints.map((contract) => [contract.name, contract] as const);
const OF_PERSONS = GUARDED.filter((contract) => mayCall('person', contract));
const OF_PERSONS_AT_FRONT_DOOR = GUARDED_AT_FRONT_DOOR.filter((contract) => mayCall('person', contract));
/** Acts on what has to exist before a statement is looked at: the samples name nothing of this person. */
const FOUND_FIRST = ['change_customer_connection', 'disconnect', 'accept_connect_request'];
const ENDED = { key: 'auth.token_invalid', status: 401 };

/** A thief has all that was in a device: its key, its access token and its refresh token. Its owner has removed it from another device. */
describe('a removed device @gap D1-5', () => {
  let world: World;
  let person: Person;
  let lost: Device;
  let kept: Device;
  let stolen: { access_token: string; refresh_token?: string | undefined };
  let own: { access_token: string };
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    person = await world.signsUp({ type: 'person', region: 'eu' });
    [lost, kept] = [new Device(() => world.now), new Device(() => world.now)];
    stolen = await signsIn(lost);
    const { items } = await asks(devices.listDevices, lost, stolen.access_token);
    own = await signsIn(kept);
    await asks(devices.removeDevice, kept, own.access_token, { params: { deviceId: items[0]!.id } });
    const isKnown = async (contract: Endpoint, token: string, device: Device) =>
      eventually(async () => ((await outcome(contract, token, device)) === ENDED.key ? true : undefined));
    await isKnown(OF_PERSONS[0]!, stolen.access_token, lost);
  });
  afterAll(() => world?.close());

  const signsIn = async (device: Device) =>
    world.stranger.asks(tokens.issueToken, { body: await codeFor(phone(world), person, world.stranger) }, { device });
  const asks = <E extends Endpoint>(contract: E, device: Device | undefined, token: string, request: unknown = {}) =>
    world.stranger.asks(contract, request as never, { at: baseOf(contract), token, device });
  const outcome = (contract: Endpoint, token: string, device: Device | undefined) =>
    asks(contract, device, token, sampleOf(contract)).then(
      () => 'answered',
      (error: { key: string }) => error.key,
    );
  const baseOf = ({ at }: Endpoint) => ((at as readonly string[]).includes('region') ? world.regionUrl('eu') : world.frontDoorUrl);

  it.each(named([...OF_PERSONS, ...OF_PERSONS_AT_FRONT_DOOR]))('is refused %s, with a fresh proof and without', async (_, contract) => {
    const sample = sampleOf(contract);

    await expect(asks(contract, lost, stolen.access_token, sample)).rejects.toMatchObject(ENDED);
    await expect(asks(contract, undefined, stolen.access_token, sample)).rejects.toMatchObject(ENDED);
  });

  it('loses the stream of events that it holds open', async () => {
    const owner = await world.signsUp({ type: 'person', region: 'eu' });
    const [listening, removing] = [new Device(() => world.now), new Device(() => world.now)];
    owner.uses(listening);
    await owner.signsIn();
    const stream = owner.phone.listens();
    await stream.hears('reset');
    const { items } = await owner.asks(devices.listDevices, {}, { at: world.frontDoorUrl });
    owner.uses(removing);
    await owner.signsIn();

    await owner.asks(devices.removeDevice, { params: { deviceId: items[0]!.id } }, { at: world.frontDoorUrl });

    await stream.over.catch(() => undefined);
    expect(stream.heard.map(({ event }) => event)).toEqual(['reset']);
  });

  it('gets no token: neither by its refresh token, nor by the password of its owner', async () => {
    const refreshes = (device?: Device) => world.stranger.asks(tokens.issueToken, refresh(phone(world), stolen.refresh_token!), { device });

    await expect(refreshes(lost)).rejects.toMatchObject({ key: 'oauth.invalid_grant' });
    await expect(refreshes()).rejects.toMatchObject({ key: 'oauth.invalid_grant' });
    await expect(signsIn(lost)).rejects.toMatchObject({ key: 'oauth.invalid_dpop_proof' });
  });

  it.each(named(OF_PERSONS.filter(({ act, name }) => act && !FOUND_FIRST.includes(name))))(
    'signs no %s in a session of another device',
    async (_, contract) => {
      const mixed = {
        proves: (sent: Parameters<Device['proves']>[0]) => ({
          ...kept.proves(sent),
          [ACT_HEADER]: lost.proves(sent)[ACT_HEADER]!,
        }),
      } as unknown as Device;

      await expect(asks(contract, mixed, own.access_token, sampleOf(contract))).rejects.toMatchObject({
        key: 'account.device_required',
        message: expect.stringContaining('that was not removed'),
      });
      expect(await outcome(contract, own.access_token, kept)).not.toMatch(/^(account\.device_required|auth\.)/);
    },
  );

  it('leaves the other device as it was', async () => {
    expect((await asks(devices.listDevices, kept, own.access_token)).items).toHaveLength(1);
  });
});
