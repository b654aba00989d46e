import { rentalFlow } from '../rental-flow.check.ts';
import { nextNode } from './next-node.ts';

const flow = rentalFlow();
const next = (node: string, answers: Record<string, unknown>) => nextNode(flow, node, flow.values(answers, '2026-03-01'));

describe('choosing the next node @spec D2-1 @spec D2-4.2', () => {
  it('follows the first edge whose condition holds', () => {
    const grown = { born: '1990-01-01', starts: '2026-04-01' };
    expect(next('tenant_data', { ...grown, use: 'office' })).toEqual({ next_node: 'office_data' });
    expect(next('tenant_data', { ...grown, use: 'flat' })).toEqual({ next_node: 'done' });
  });

  it('follows an edge without a condition', () => {
    expect(next('offer', {})).toEqual({ next_node: 'tenant_data' });
  });

  it('cannot continue when the condition of no edge holds', () => {
    expect(next('tenant_data', { use: 'flat', born: '2020-01-01', starts: '2026-04-01' })).toEqual({ stuck: true });
  });

  it('ends on a node without edges', () => {
    expect(next('done', {})).toEqual({ leaf: true });
  });
});
