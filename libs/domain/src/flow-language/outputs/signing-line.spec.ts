import fc from 'fast-check';
import { openStep, seals, signingLine, type SignedOutput, type Step } from './signing-line.ts';

const sign = (party: string) => ({ party, action: 'sign' as const });
const accept = (party: string) => ({ party, action: 'accept' as const });
const spoken = (outputs: SignedOutput[], parties: string[]) =>
  signingLine(outputs, parties).map(({ position, output_key, party, action }) => `${position} ${output_key} ${party} ${action}`);

describe('the signing line @spec D2-8', () => {
  const lease = { output_key: 'lease', signers: [sign('tenant'), sign('landlord')] };
  const both = ['landlord', 'tenant'];
  const annex = { output_key: 'annex', signers: [accept('landlord')] };

  it("is ordered by the signers' order within an output, then by output", () => {
    expect(spoken([lease, annex], both)).toEqual(['1 lease tenant sign', '2 annex landlord accept', '3 lease landlord sign']);
    expect(spoken([annex, lease], both)).toEqual(['1 annex landlord accept', '2 lease tenant sign', '3 lease landlord sign']);
  });

  it('contains all parties in their order when an output names no signers', () => {
    expect(spoken([{ output_key: 'lease', signers: null }], both)).toEqual(['1 lease landlord sign', '2 lease tenant sign']);
  });

  it('is empty without outputs', () => {
    expect(spoken([], ['landlord'])).toEqual([]);
    expect(openStep([], new Set())).toBeUndefined();
  });

  it('opens only the first step that has not been done', () => {
    const line = signingLine([lease, annex], both);
    expect(openStep(line, new Set())?.position).toBe(1);
    expect(openStep(line, new Set([1]))?.output_key).toBe('annex');
    expect(openStep(line, new Set([1, 2, 3]))).toBeUndefined();
  });

  it('seals an output after its own last signature', () => {
    const line = signingLine([lease, annex], both);
    expect(line.map((step) => seals(line, step))).toEqual([false, true, true]);
  });

  it('contains each signature once, in the order of its output, and interleaves the outputs', () => {
    const signers = fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }).map((parties) => parties.map(sign)));
    const outputs = fc.array(signers, { maxLength: 5 }).map((lists) => lists.map((signers, i) => ({ output_key: `o${i}`, signers })));
    fc.assert(
      fc.property(outputs, (outputs) => {
        const parties = ['a', 'b', 'c', 'd'];
        const line = signingLine(outputs, parties);
        expect(line.map(({ position }) => position)).toEqual(line.map((_, i) => i + 1));
        for (const { output_key, signers } of outputs) {
          const own = line.filter((step) => step.output_key === output_key);
          expect(own.map(({ party }) => party)).toEqual(signers?.map(({ party }) => party) ?? parties);
          expect(own.filter((step) => seals(line, step))).toEqual(own.slice(-1));
        }
        const positionOf = (step: Step) => line.filter((s) => s.output_key === step.output_key && s.position < step.position).length;
        const positions = line.map(positionOf);
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      }),
    );
  });
});
