import { concat, constant, elementOf, rentalFlow, lit, ref } from '../rental-flow.check.ts';
import { privateKeys, type Sender } from './privacy.ts';

const flow = rentalFlow((d) => {
  d.constants.push(
    constant('twice', 'number', ref('deposit')),
    constant('town', 'text', ref('firm.seat')),
    constant('loop', 'text', concat([ref('pool')])),
    constant('pool', 'text', concat([ref('loop')])),
    constant('plain', 'number', lit(1)),
  );
  elementOf(d, 'name', 'field').default = ref('use');
  elementOf(d, 'income', 'field').default = ref('twice');
});
const kept = (sender: Partial<Sender>, keys: string[]) => {
  const isPrivate = privateKeys(flow, { party: 'tenant', node: 'tenant_data', private_slugs: [], ...sender });
  return keys.filter(isPrivate);
};

describe('what is kept from plugins @spec D2-4.5.5', () => {
  it('is nothing when no slug is private', () => {
    expect(kept({}, ['rent', 'name', 'income', 'deposit', 'twice', 'firm', 'firm.seat', 'plain', 'nothing'])).toEqual([]);
  });

  it('are private slugs, whoever answered them', () => {
    expect(kept({ private_slugs: ['rent', 'born'] }, ['rent', 'born', 'use', 'starts'])).toEqual(['rent', 'born']);
  });

  it('are constants that read one, however indirectly', () => {
    expect(kept({ private_slugs: ['rent'] }, ['deposit', 'twice', 'age', 'plain'])).toEqual(['deposit', 'twice']);
  });

  it('are values of the current step derived from one', () => {
    expect(kept({ private_slugs: ['rent'] }, ['income', 'name'])).toEqual(['income']);
    expect(kept({ private_slugs: ['use'] }, ['income', 'name'])).toEqual(['name']);
    expect(kept({ private_slugs: ['rent'], node: 'office_data' }, ['income'])).toEqual([]);
    expect(kept({ from_private: new Set(['born', 'rent']) }, ['born', 'rent', 'age', 'name'])).toEqual(['born', 'age']);
  });

  it.each([undefined, null])('are all values of other parties when the run names no private slugs (%s)', (private_slugs) => {
    expect(kept({ private_slugs }, ['rent', 'use', 'born', 'deposit', 'age', 'plain'])).toEqual(['rent', 'use', 'deposit', 'age']);
    expect(kept({ private_slugs, party: 'landlord', node: 'offer' }, ['rent', 'born', 'deposit', 'age'])).toEqual(['born', 'age']);
  });

  it('is never a plugin answer', () => {
    expect(kept({ private_slugs: ['firm', 'firm.seat'], party: 'landlord' }, ['firm', 'firm.seat', 'town'])).toEqual([]);
  });

  it('are keys that depend on each other, to be on the safe side', () => {
    expect(kept({}, ['loop', 'pool'])).toEqual(['loop', 'pool']);
  });
});
