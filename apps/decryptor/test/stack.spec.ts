import { OPEN_VALUE, type Sealed } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { World } from '@codase/testing';

describe('decryptor of the default stack', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['decryptor'] });
  });
  afterAll(() => world?.close());

  it('has the keys of the demo and is ready', async () => {
    const answer = await fetch(`${world.opsUrl('decryptor')}/readyz`);

    expect(await answer.json()).toMatchObject({ ready: true, checks: { keys: 'ok' } });
  });

  it('refuses to decrypt for an operator, who may call everything else', async () => {
    const operator = await world.operator('suite');
    const value = (await sealValue(await importValuePublicKey(world.shop.public_key), 'not for operators')) as Sealed;

    await expect(operator.request(OPEN_VALUE, { service: 'shop' }, { value })).rejects.toMatchObject({ key: 'decryptor.caller_refused' });
  });
});
