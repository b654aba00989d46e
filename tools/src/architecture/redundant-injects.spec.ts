import { redundantInjects } from './redundant-injects.ts';
import type { Source } from './sources.ts';

const source = (file: string, text: string) => ({ file, text }) as Source;
const HOME = source('apps/x/src/home.ts', 'export class Home {}\nexport const Limits = z.object({});\nexport type Limits = object;');
const found = (parameters: string, file = 'apps/x/src/worker.ts') =>
  redundantInjects([HOME, source(file, `class Worker {\n  constructor(${parameters}) {}\n}`)]);

describe('@Inject of a class', () => {
  it.each([
    '@Inject(Home) home: Home',
    '@Inject(Home) private readonly home: Home, other: string',
    '@Inject(Home)\n    readonly home: Home,\n',
  ])('is refused when the parameter type already says it: %j', (parameters) => {
    expect(found(parameters)).toEqual(['apps/x/src/worker.ts says @Inject(Home) of a parameter of that type: leave the decorator out.']);
  });

  it.each(["@Inject(Home) home: Pick<Home, 'write'>", '@Inject(CLOCK) clock: Clock', '@Inject(Limits) limits: Limits', 'home: Home'])(
    'is accepted when it is needed or absent: %j',
    (parameters) => {
      expect(found(parameters)).toEqual([]);
    },
  );

  it('is not checked in a spec', () => {
    expect(found('@Inject(Home) home: Home', 'apps/x/src/worker.spec.ts')).toEqual([]);
  });
});
