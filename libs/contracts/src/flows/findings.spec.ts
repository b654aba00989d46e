import { Finding } from './finding.ts';
import { OWN_FINDINGS, SPEC_FINDINGS } from './findings.ts';

describe('the findings of publishing @spec D2-7', () => {
  it('define no key of our own that the specification also defines', () => {
    expect(Object.keys(OWN_FINDINGS).filter((key) => Object.hasOwn(SPEC_FINDINGS, key))).toEqual([]);
    expect(OWN_FINDINGS['condition.ref_unknown']).toBe('error');
  });

  it('accept a finding with its position and reject an unknown key', () => {
    const found = { key: 'constant.cycle', severity: 'error', where: { constant: 'total' }, message: 'total reads itself' };

    expect(Finding.parse(found)).toEqual(found);
    expect(Finding.safeParse({ ...found, key: 'constant.odd' }).success).toBe(false);
  });
});
