import type { FlowDefinition } from '@codase/contracts';
import { DefinitionCache } from './definition-cache.ts';

const MIB = 1024 * 1024;
const definition = (entry: string) => ({ entry }) as FlowDefinition;

describe('DefinitionCache', () => {
  const cacheOf = (definitions: number, bytes: number) => {
    const cache = new DefinitionCache();
    for (let nth = 0; nth < definitions; nth++) cache.put(`d${nth}`, definition(`n${nth}`), bytes);
    return Array.from({ length: definitions }, (_, nth) => nth).filter((nth) => cache.get(`d${nth}`) !== undefined);
  };

  it('keeps the newest 200 definitions when they are small', () => {
    expect(cacheOf(201, 1000)).toEqual(Array.from({ length: 200 }, (_, nth) => nth + 1));
  });

  it('keeps fewer definitions when they are large', () => {
    expect(cacheOf(20, 2 * MIB)).toEqual(Array.from({ length: 16 }, (_, nth) => nth + 4));
    expect(cacheOf(2, 33 * MIB)).toEqual([]);
  });

  it('counts a definition once when it is put twice', () => {
    const cache = new DefinitionCache();
    for (let time = 0; time < 100; time++) cache.put('same', definition('a'), 2 * MIB);
    cache.put('other', definition('b'), 2 * MIB);
    expect(cache.get('same')).toEqual(definition('a'));
  });
});
