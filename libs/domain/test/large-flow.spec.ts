import { FlowDefinition } from '@codase/contracts';
import { largeFlow } from '@codase/testing/large-flow';
import { fieldTypes, SYSTEM_ROWS } from '../src/field-types/index.ts';
import { compareDefinitions, compileFlow, judgeDraft, judging, prepareTurn } from '../src/flow-language/index.ts';

const types = fieldTypes(SYSTEM_ROWS);
const CONTEXT = { fieldTypes: types, plugins: new Map(), request_fields: [], templates: new Map() };

/** The CPU time of the work, in ms. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return cpuSince(before);
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of several measurements, so that other work of the machine does not count. */
const least = (measure: () => number): number => Math.min(...Array.from({ length: 7 }, measure));

/** The CPU time of the longest step of a judgement. Between steps a server does other work. */
function longestStep(draft: unknown): number {
  const steps = judging(draft, CONTEXT);
  for (let longest = 0; ;) {
    const before = process.cpuUsage();
    const { done } = steps.next();
    longest = Math.max(longest, cpuSince(before));
    if (done) return longest;
  }
}

describe('a flow of 300 steps and 1,000 edges @gap D2-8', () => {
  const large = largeFlow(300, 1000);
  const playOneStep = () => {
    const flow = compileFlow(large, types);
    return prepareTurn(flow, { node: 'n0', answers: {}, drafts: { f0: { value: '3' } }, reference_date: '2026-03-01' });
  };

  it('has no findings', () => {
    expect([large.nodes.length, large.edges.length]).toEqual([300, 1000]);
    expect(judgeDraft(large, CONTEXT)).toEqual({ findings: [], definition: large });
  });

  it('is validated in steps of less than 50 ms of CPU time', () => {
    expect(least(() => longestStep(large))).toBeLessThan(50);
  });

  it.each([
    ['read from the wire, and written', () => JSON.stringify(FlowDefinition.parse(JSON.parse(JSON.stringify(large))))],
    ['compared', () => compareDefinitions(large, { ...large, nodes: large.nodes.toReversed() })],
    ['compiled and played', playOneStep],
  ])('is %s in less than 50 ms of CPU time', (_, work) => {
    expect(least(() => cpuOf(work))).toBeLessThan(50);
  });

  it('is validated in time roughly proportional to its size', () => {
    const [small, twice] = [largeFlow(150, 500), large].map((flow) => least(() => cpuOf(() => judgeDraft(flow, CONTEXT))));
    expect(twice).toBeLessThan(5 * Math.max(2, small!));
  });
});
