import { documents, tablesWith } from '../core/spec-tables.check.ts';
import { Finding } from './finding.ts';
import { OWN_FINDINGS, SPEC_FINDINGS } from './findings.ts';

describe('what publishing can find @spec D2-7', () => {
  it('keeps what is ours apart', () => {
    expect(Object.keys(OWN_FINDINGS).filter((key) => Object.hasOwn(SPEC_FINDINGS, key))).toEqual([]);
    expect(OWN_FINDINGS['condition.ref_unknown']).toBe('error');
  });

  it('travels with its place', () => {
    const found = { key: 'constant.cycle', severity: 'error', where: { constant: 'total' }, message: 'total reads itself' };

    expect(Finding.parse(found)).toEqual(found);
    expect(Finding.safeParse({ ...found, key: 'constant.odd' }).success).toBe(false);
  });
});

if (documents) {
  const rows = tablesWith('Severity', documents.D2);

  it("is the specification's table, key for key", () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(SPEC_FINDINGS).toEqual(Object.fromEntries(rows.map(({ error_key, Severity }) => [error_key, Severity])));
  });
}
