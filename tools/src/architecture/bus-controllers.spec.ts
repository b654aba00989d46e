import { busViolations } from './bus-controllers.ts';

const BUS = "@Controller()\nexport class GreetBus {\n  @Answers(GREET, { queue: 'q' })\n  greet() {}\n}";
const file = (name: string, text: string) => ({ file: `apps/gateway/src/${name}`, text });
const MODULE = file('greet.module.ts', '@Module({ controllers: [OtherHttp, GreetBus], providers: [Greet] })\nexport class GreetModule {}');

describe('a bus handler', () => {
  it('is accepted in a controller of a .bus.ts file that a module or a manifest lists', () => {
    expect(busViolations([file('greet.bus.ts', BUS), MODULE])).toEqual([]);
    expect(busViolations([file('greet.bus.ts', BUS), file('capability.ts', 'parts: { region: { bus: [GreetBus] } }')])).toEqual([]);
  });

  it.each(['Answers', 'Consumes', 'MessagePattern', 'EventPattern'])('is refused outside a .bus.ts file: @%s', (decorator) => {
    const service = `@Injectable()\nexport class Greet {\n  @${decorator}(GREET)\n  greet() {}\n}`;

    expect(busViolations([file('greet.service.ts', service)])).toEqual([expect.stringContaining(`greet.service.ts has @${decorator}`)]);
  });

  it('is accepted in a controller that a function of a .bus.ts file makes', () => {
    const lines = ['@Controller()', 'class GreetBus {}', 'Answers(GREET)(GreetBus.prototype);'];
    const factory = `export function greets(): Type {\n  ${lines.join('\n  ')}\n}`;

    expect(busViolations([file('greets.bus.ts', factory)])).toEqual([]);
    expect(busViolations([file('greets.ts', factory)])).toEqual([expect.stringContaining('greets.ts has @Answers')]);
  });

  it('is refused in a class without @Controller()', () => {
    expect(busViolations([file('greet.bus.ts', BUS.replace('@Controller()', '@Injectable()')), MODULE])).toEqual([
      expect.stringContaining('has no @Controller() class'),
    ]);
  });

  it.each([
    ['nobody lists it', file('greet.module.ts', '@Module({ controllers: [OtherHttp] }) export class GreetModule {}')],
    [
      'it is listed as a provider',
      file('greet.module.ts', '@Module({ controllers: [], providers: [GreetBus] }) export class GreetModule {}'),
    ],
    ['another app lists it', { ...MODULE, file: 'apps/decryptor/src/greet.module.ts' }],
  ])('is refused when %s', (_, module) => {
    expect(busViolations([file('greet.bus.ts', BUS), module])).toEqual([expect.stringContaining('lists GreetBus, so nothing answers')]);
  });
});
