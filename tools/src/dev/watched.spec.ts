import { Fault } from '@codase/command-line';
import { servicesCalled, watchedUnits, type Checkout } from './watched.ts';

const project = (folder: string, ...dependencies: string[]) => ({ folder, name: `@x/${folder.split('/')[1]}`, dependencies });
const CHECKOUT: Checkout = {
  root: '/repo',
  projects: [project('apps/office', '@x/runtime', 'fastify'), project('apps/shop', '@x/runtime'), project('libs/runtime', 'pg')],
  programs: { office: 'apps/office/dist/main.js', telemetry: 'libs/runtime/dist/telemetry.js' },
};
const office = (name: string) => ({ name, entry: '/repo/bundle/office.mjs' });
const SERVICES = [office('front'), office('back'), { name: 'shop-1', entry: '/repo/apps/shop/dist/main.js' }];

describe('the services to watch', () => {
  const called = (...names: string[]) => servicesCalled(names, SERVICES, CHECKOUT);

  it('are called by their own name, or by that of their app', () => {
    expect(called('back')).toEqual(['back']);
    expect(called('shop', 'front')).toEqual(['front', 'shop-1']);
    expect(called('office', 'back')).toEqual(['front', 'back']);
  });

  it('are named when the caller names one that there is not', () => {
    const fault = () => called('ofice');

    expect(fault).toThrow(Fault);
    expect(fault).toThrow(/^There is no service 'ofice' in the stack: name one of front, back, shop-1, office, shop\.$/);
  });
});

describe('a watched unit', () => {
  const unit = { ...office('front'), imports: ['/repo/bundle/telemetry.mjs'], opsPort: 1, env: { PORT: '2' } };
  const settingsOf = (args: readonly string[] | undefined): unknown => JSON.parse(args![0]!);

  it('runs what the build makes of each source, behind a program that has loaded the packages of others', () => {
    const [watched] = watchedUnits([unit], CHECKOUT);

    expect(watched!.builtFrom.map(({ folder }) => folder)).toEqual(['apps/office', 'libs/runtime']);
    expect(watched!.unit).toMatchObject({ name: 'front', standsBy: true, imports: [], opsPort: 1, env: { PORT: '2' } });
    expect(settingsOf(watched!.unit.args)).toEqual({
      packages: ['fastify', 'pg'],
      imports: ['/repo/libs/runtime/dist/telemetry.js'],
      entry: '/repo/apps/office/dist/main.js',
    });
  });

  it('has a port of its own for a debugger, and as much time as a debugger needs when it waits for one', () => {
    const [first, second] = watchedUnits([unit, { ...unit, name: 'back' }], CHECKOUT, { port: 9300, isAwaited: true });

    expect([first!.inspectPort, second!.inspectPort]).toEqual([9300, 9301]);
    expect(settingsOf(second!.unit.args)).toMatchObject({ inspect: { port: 9301, isAwaited: true } });
    expect(second!.unit.readyWithinMs).toBe(Infinity);
  });
});
