import { constant, rental, ref, today } from '../rental-flow.check.ts';
import { availabilityOf } from './availability.ts';
import { pathsOf, type Paths } from './paths.ts';

describe('the paths of a flow @gap D2-7', () => {
  const NODES = ['offer', 'tenant_data', 'office_data', 'done'];
  const upTo = ({ setOf, leadTo }: Paths, node: string, nodes = NODES) => nodes.filter((before) => leadTo(setOf([before]), node));

  it('lead to a node from the nodes before it', () => {
    const paths = pathsOf(rental());
    expect([...paths.reachable]).toEqual(['offer', 'tenant_data', 'office_data', 'done']);
    expect(upTo(paths, 'offer')).toEqual(['offer']);
    expect(upTo(paths, 'office_data')).toEqual(['offer', 'tenant_data', 'office_data']);
    expect(upTo(paths, 'done')).toEqual(['offer', 'tenant_data', 'office_data', 'done']);
  });

  it('start only at the entry', () => {
    const paths = pathsOf(rental((d) => void d.edges.push({ from: 'island', to: 'done' })));
    expect(paths.reachable.has('island')).toBe(false);
    expect(upTo(paths, 'done', [...NODES, 'island'])).toEqual(NODES);
    expect(upTo(paths, 'island', [...NODES, 'island'])).toEqual(['island']);
  });

  it('contain all nodes of a cycle before each of them', () => {
    const paths = pathsOf(rental((d) => void d.edges.push({ from: 'done', to: 'tenant_data' })));
    expect(upTo(paths, 'tenant_data')).toEqual(['offer', 'tenant_data', 'office_data', 'done']);
    expect(upTo(paths, 'offer')).toEqual(['offer']);
  });
});

describe('the availability of a key @gap D2-7', () => {
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
  ])('includes %s at the node %s', (key, node) => {
    expect(isAvailable(key, node)).toBe(true);
  });

  it.each([
    ['name', 'offer'],
    ['firm', 'tenant_data'],
    ['firm.seat', 'tenant_data'],
    ['age', 'offer'],
    ['older', 'offer'],
    ['seat', 'tenant_data'],
  ])('excludes %s at the node %s', (key, node) => {
    expect(isAvailable(key, node)).toBe(false);
  });
});
