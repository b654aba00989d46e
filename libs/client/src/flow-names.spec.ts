import type { Bus } from '@codase/runtime/bus';
import { FlowNames } from './flow-names.ts';

describe('the names of published flows', () => {
  const [ORDER, CLAIM] = [
    { id: 'flow_1', name: 'Order', version: 1 },
    { id: 'flow_2', name: 'Claim', version: 1 },
  ];
  let published: object[];
  let reads: number;
  let names: FlowNames;
  beforeEach(() => {
    [published, reads] = [[], 0];
    const request = async () => {
      reads++;
      return { items: published, next_cursor: null };
    };
    names = new FlowNames({ request } as unknown as Bus, 'shop', 1000);
  });

  it('are cached for a while, even when no flow is published', async () => {
    expect([await names.all(), await names.all()]).toEqual([[], []]);

    expect(reads).toBe(1);
  });

  it('are read again for a flow that is not in the cache', async () => {
    published = [ORDER];
    await names.all();
    published = [ORDER, CLAIM];

    expect(await names.all('flow_1')).toEqual([ORDER]);
    expect(await names.all('flow_2')).toEqual([ORDER, CLAIM]);
    expect(await names.idOf('Claim')).toBe('flow_2');
    expect(reads).toBe(2);
  });
});
