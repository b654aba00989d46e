import type { CodaseClient } from '@codase/client';
import { connections, Refusal, type Endpoint } from '@codase/contracts';
import { ConnectionList } from './connection-list.ts';

/** The connections of a shop in pages of two, with a record of the requests. */
class Shop {
  readonly requests: string[] = [];
  constructor(readonly customers: string[]) {}

  /** The part of the client that the list uses. */
  get codase(): CodaseClient {
    const request = async ({ name }: Endpoint, { params, query }: { params?: { connectionId: string }; query?: { cursor?: string } }) => {
      this.requests.push(name);
      return name === connections.readConnection.name ? this.read(params!.connectionId) : this.page(Number(query?.cursor ?? 0));
    };
    return { request } as unknown as CodaseClient;
  }

  private read(id: string) {
    const person_id = id.replace('con_', '');
    if (!this.customers.includes(person_id)) throw new Refusal('company_data.connection_not_found');
    return { id, person_id };
  }

  private page(from: number) {
    const items = this.customers.slice(from, from + 2).map((person_id) => ({ id: `con_${person_id}`, person_id }));
    return { items, next_cursor: from + 2 < this.customers.length ? String(from + 2) : null };
  }
}

const many = (n: number) => Array.from({ length: n }, (_, i) => `usr_${i}`);

describe('the connections of the shop', () => {
  it('are listed once for all concurrent callers, and then read one by one', async () => {
    const shop = new Shop(many(6));
    const list = new ConnectionList(shop.codase);

    const found = await Promise.all(many(6).map((person) => list.of(person)));
    expect(found.map((connection) => connection?.id)).toEqual(many(6).map((person) => `con_${person}`));
    expect(shop.requests.filter((name) => name === 'list_connections')).toHaveLength(3); // one for each page

    await list.of('usr_3');
    expect(shop.requests.filter((name) => name === 'list_connections')).toHaveLength(3);
  });

  it('are listed again for a customer who connected after a listing had begun', async () => {
    const shop = new Shop(['usr_0']);
    const list = new ConnectionList(shop.codase);
    const first = list.of('usr_0');
    await Promise.resolve();
    shop.customers.push('usr_1');

    expect((await list.of('usr_1'))?.person_id).toBe('usr_1');
    expect((await first)?.person_id).toBe('usr_0');
  });

  it('are not found once the customer has left', async () => {
    const shop = new Shop(['usr_0']);
    const list = new ConnectionList(shop.codase);
    await list.of('usr_0');
    shop.customers.pop();

    expect(await list.of('usr_0')).toBeUndefined();
    expect(await list.read('con_usr_0')).toBeUndefined();
  });

  it('are requested again after a listing failed', async () => {
    const shop = new Shop(['usr_0']);
    const { request } = shop.codase as unknown as { request: (...args: unknown[]) => Promise<unknown> };
    let isAway = true;
    const list = new ConnectionList({
      request: async (...args: unknown[]) => {
        if (isAway) throw new Refusal('service.unavailable');
        return request(...args);
      },
    } as unknown as CodaseClient);

    await expect(list.of('usr_0')).rejects.toMatchObject({ key: 'service.unavailable' });
    isAway = false;
    expect((await list.of('usr_0'))?.id).toBe('con_usr_0');
  });
});
