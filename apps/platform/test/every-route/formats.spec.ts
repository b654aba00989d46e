import type { Endpoint } from '@codase/contracts';
import { readXml } from '@codase/runtime/http';
import { World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { request } from 'undici';
import { AT_FRONT_DOOR, AT_REGION, kindOf, tokenOf } from './callers.ts';

const named = (endpoints: readonly Endpoint[]) => endpoints.map((contract) => [contract.name, contract] as const);
const isRead = ({ method, path, produces, callers, query }: Endpoint) =>
  method === 'GET' &&
  !path.includes('{') &&
  produces === undefined &&
  !callers.includes('anyone') &&
  (query === undefined || query.safeParse({}).success);

describe('every route in JSON and XML @spec D1-4', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    await world.acme.recovery.setsKey(SERVICE_KEYS[2]); // without a key its route answers that there is none
  });
  afterAll(() => world?.close());

  const asks = (contract: Endpoint, accept: string, token = 'forged') =>
    request(`${contract.at.includes('region') ? world.regionUrl('eu') : world.frontDoorUrl}${contract.path.replace(/{\w+}/g, 'x')}`, {
      method: contract.method,
      headers: { accept, authorization: `Bearer ${token}` },
    });

  /** Files that anyone may read are answered, and have a format of their own. */
  const mayRefuse = ({ callers, produces }: Endpoint) => produces !== 'bytes' || !callers.includes('anyone');

  it.each(
    named([
      ...AT_REGION.filter(mayRefuse),
      ...AT_FRONT_DOOR.filter(({ produces, refusals }) => produces === undefined && refusals.length > 0),
    ]),
  )('%s refuses with the same content in both formats', async (_, contract) => {
    const json = await asks(contract, 'application/json');
    const xml = await asks(contract, 'application/xml');

    expect(xml.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(xml.statusCode).toBe(json.statusCode);
    expect(readXml(await xml.body.text())).toEqual(await json.body.json());
  });

  it.each(named(AT_REGION.filter(isRead)))('%s answers with the same content in both formats', async (_, contract) => {
    const token = await tokenOf(world, kindOf(contract));
    const json = await asks(contract, 'application/json', token);
    const xml = await asks(contract, 'text/xml', token);

    expect([json.statusCode, xml.statusCode]).toEqual([200, 200]);
    expect(readXml(await xml.body.text())).toEqual(await json.body.json());
  });
});
