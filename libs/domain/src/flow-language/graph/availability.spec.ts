import { constant, rental, ref, today } from '../rental-flow.check.ts';
import { availabilityOf } from './availability.ts';
import { pathsOf } from './paths.ts';

describe('paths @gap D2-7', () => {
  it('lead from the entry to a node', () => {
    const { reachable, upTo } = pathsOf(rental());
    expect([...reachable]).toEqual(['offer', 'tenant_data', 'office_data', 'done']);
    expect([...upTo('offer')]).toEqual(['offer']);
    expect([...upTo('office_data')].toSorted()).toEqual(['offer', 'office_data', 'tenant_data']);
    expect([...upTo('done')].toSorted()).toEqual(['done', 'offer', 'office_data', 'tenant_data']);
  });

  it('do not start anywhere else', () => {
    const { reachable, upTo } = pathsOf(rental((d) => void d.edges.push({ from: 'island', to: 'done' })));
    expect(reachable.has('island')).toBe(false);
    expect(upTo('done').has('island')).toBe(false);
    expect([...upTo('island')]).toEqual(['island']);
  });
});

describe('availability @gap D2-7', () => {
  const { isAvailable } = availabilityOf(
    rental((d) =>
      d.constants.push(
        constant('older', 'number', ref('age')),
        constant('now', 'date', today),
        constant('seat', 'text', ref('firm.seat')),
        constant('loop', 'number', ref('loop')),
      ),
    ),
  );

  it.each([
    ['rent', 'offer'],
    ['rent', 'done'],
    ['firm', 'office_data'],
    ['firm.seat', 'done'],
    ['age', 'tenant_data'],
    ['older', 'done'],
    ['now', 'offer'],
    ['seat', 'office_data'],
    ['loop', 'offer'],
    ['nobody_declares_this', 'offer'],
  ])('%s is there at %s', (key, node) => {
    expect(isAvailable(key, node)).toBe(true);
  });

  it.each([
    ['name', 'offer'],
    ['firm', 'tenant_data'],
    ['firm.seat', 'tenant_data'],
    ['age', 'offer'],
    ['older', 'offer'],
    ['seat', 'tenant_data'],
  ])('%s is not there at %s', (key, node) => {
    expect(isAvailable(key, node)).toBe(false);
  });
});
