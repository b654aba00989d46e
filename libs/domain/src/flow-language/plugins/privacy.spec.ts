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

describe('the keys withheld from plugins @spec D2-4.5.5', () => {
  it('are none when no slug is private', () => {
    expect(kept({}, ['rent', 'name', 'income', 'deposit', 'twice', 'firm', 'firm.seat', 'plain', 'nothing'])).toEqual([]);
  });

  it('include private slugs answered by any party', () => {
    expect(kept({ private_slugs: ['rent', 'born'] }, ['rent', 'born', 'use', 'starts'])).toEqual(['rent', 'born']);
  });

  it('include constants that read a private slug directly or indirectly', () => {
    expect(kept({ private_slugs: ['rent'] }, ['deposit', 'twice', 'age', 'plain'])).toEqual(['deposit', 'twice']);
  });

  it('include values of the current step that are derived from a private slug', () => {
    expect(kept({ private_slugs: ['rent'] }, ['income', 'name'])).toEqual(['income']);
    expect(kept({ private_slugs: ['use'] }, ['income', 'name'])).toEqual(['name']);
    expect(kept({ private_slugs: ['rent'], node: 'office_data' }, ['income'])).toEqual([]);
    expect(kept({ from_private: new Set(['born', 'rent']) }, ['born', 'rent', 'age', 'name'])).toEqual(['born', 'age']);
  });

  it.each([undefined, null])('include all values of other parties when the run has no list of private slugs (%s)', (private_slugs) => {
    expect(kept({ private_slugs }, ['rent', 'use', 'born', 'deposit', 'age', 'plain'])).toEqual(['rent', 'use', 'deposit', 'age']);
    expect(kept({ private_slugs, party: 'landlord', node: 'offer' }, ['rent', 'born', 'deposit', 'age'])).toEqual(['born', 'age']);
  });

  it('never include a plugin answer', () => {
    expect(kept({ private_slugs: ['firm', 'firm.seat'], party: 'landlord' }, ['firm', 'firm.seat', 'town'])).toEqual([]);
  });

  it('include keys that depend on each other', () => {
    expect(kept({}, ['loop', 'pool'])).toEqual(['loop', 'pool']);
  });
});
