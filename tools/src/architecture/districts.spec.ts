import { ROOT } from '../command/root.ts';
import { arrowsOf, districtProblems } from './districts.ts';
import { readSources } from './sources.ts';

const importing = (file: string, ...targets: string[]) => ({
  file: `apps/platform/src/${file}`,
  imports: targets.map((target) => ({ target, typeOnly: false })),
});

describe('districts of the platform', () => {
  it('in this repository import exactly the districts on the list', () => {
    expect(districtProblems(readSources(ROOT))).toEqual([]);
  });

  it('are connected by counted arrows, without imports of tests and imports within a district', () => {
    const sources = [
      importing('services/feed/a.ts', '../../access/tokens/index.ts', '../mail/index.ts'),
      importing('services/mail/b.ts', '../../access/clients/index.ts', '../../kit/ids.ts'),
      importing('services/mail/b.spec.ts', '../../accounts/recovery/index.ts'),
    ];

    expect(arrowsOf(sources)).toEqual([{ from: 'services', to: 'access', imports: 2 }]);
  });

  it('are refused when the list allows an arrow that no import needs', () => {
    const sources = [importing('services/feed/a.ts', '../../access/tokens/index.ts')];

    expect(districtProblems(sources, { services: ['access', 'storage'], access: [] })).toEqual([
      expect.stringContaining('lets the district services import storage, and no file does'),
    ]);
  });

  it('are refused when the list has a cycle', () => {
    const sources = [
      importing('services/feed/a.ts', '../../access/x/index.ts'),
      importing('access/x/b.ts', '../../services/feed/index.ts'),
    ];

    expect(districtProblems(sources, { services: ['access'], access: ['services'] })).toEqual([expect.stringContaining('in a cycle')]);
  });
});
