import { FIELD_TYPES, rental } from '../rental-flow.check.ts';
import { kindsOf } from './kinds.ts';

describe("the kinds of a flow's keys @spec D2-2.5", () => {
  it('are derived from field types, plugin descriptions and result types', () => {
    expect(Object.fromEntries(kindsOf(rental(), FIELD_TYPES))).toEqual({
      use: 'choice',
      rent: 'number',
      starts: 'date',
      name: 'text',
      born: 'date',
      keeps: 'multichoice',
      income: 'number',
      home: 'composite',
      reference: 'binary',
      id_card: 'binary',
      firm: 'plugin',
      'firm.company': 'text',
      'firm.company.id': 'text',
      'firm.year': 'number',
      'firm.seat': 'text',
      'firm.listed': 'boolean',
      deposit: 'number',
      age: 'number',
    });
  });
});
