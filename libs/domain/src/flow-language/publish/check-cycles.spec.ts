import { constant, lit, math, ref } from '../rental-flow.check.ts';
import { add, all, checkTable, field, found, set, wire } from './findings.check.ts';

describe('the publishing check of dependency cycles @spec D2-7', () => {
  checkTable<'dependency.cycle'>({
    'dependency.cycle': {
      raised: [
        ['a default that reads its own field', set('rent', { default: ref('rent') })],
        ['a maximum that reads its own field', set('rent', { max: math('add', ref('rent'), lit(1)) })],
        ['a minimum that reads its own field', set('rent', { min: ref('rent') })],
        [
          'two defaults that read each other',
          all(set('name', { default: ref('alias') }), field('tenant_data', 'alias', 'text', { default: ref('name') })),
        ],
        ['a default and a constant', set('rent', { default: ref('deposit') })],
        ['a plugin fed with its own output', wire({ born: 'born', note: 'firm.seat' })],
        [
          'a plugin, a constant and a default',
          all(
            add(constant('c', 'text', ref('firm.seat'))),
            field('office_data', 'seat', 'text', { default: ref('c') }),
            wire({ born: 'born', note: 'seat' }),
          ),
        ],
      ],
      quiet: [
        ['a show_if on its own field', set('name', { show_if: { field: 'name', op: 'is_empty' } })],
        ['a default that reads a plugin', field('office_data', 'seat', 'text', { default: ref('firm.seat') })],
      ],
    },
  });

  it('reports a cycle at one member and lists all members in the message', () => {
    const [finding] = found(set('rent', { default: ref('deposit') }));
    expect(finding).toMatchObject({ where: { element: 'rent' }, message: 'deposit, rent need each other to be known first' });

    const [other] = found(add(constant('z', 'number', ref('y')), constant('y', 'number', ref('z'))));
    expect(other).toMatchObject({ where: { constant: 'y' }, message: 'The constants y, z depend on each other in a circle' });
  });
});
