import { Fault } from '@codase/command-line';
import { readDevOptions } from './options.ts';

const read = (...args: string[]) => readDevOptions(args, {}, '/repo');
const faultOf = (...args: string[]) => {
  try {
    read(...args);
  } catch (error) {
    if (error instanceof Fault) return { message: error.message, exitCode: error.exitCode };
  }
  throw new Error('the options were accepted');
};

describe('options of npm run dev', () => {
  it('are the services to watch, and those of npm start', () => {
    expect(read('gateway', '--port-base', '5000', 'flows', '--fresh')).toMatchObject({
      names: ['gateway', 'flows'],
      portBase: 5000,
      fresh: true,
      stateDir: '/repo/.codase',
    });
    expect(read('gateway').inspect).toBeUndefined();
  });

  it.each([
    ['--inspect', { port: 9229, isAwaited: false }],
    ['--inspect=9300', { port: 9300, isAwaited: false }],
    ['--inspect-brk', { port: 9229, isAwaited: true }],
    ['--inspect-brk=9300', { port: 9300, isAwaited: true }],
  ])('%s gives the watched services a debugger, and takes no name for its port', (option, inspect) => {
    expect(read(option, 'gateway')).toMatchObject({ names: ['gateway'], inspect });
  });

  it('need no service to show the page of help', () => expect(read('--help').help).toBe(true));

  it.each([
    [[], /^Name a service to watch: npm run dev -- gateway/],
    [['gateway', '--check'], /^--check stops the stack .*: use it with npm start\.$/],
    [['gateway', '--inspect=high'], /^--inspect is 'high': give a whole number from 1024 to 65000\.$/],
    [['gateway', '--watch'], /^There is no option --watch: /],
  ])('%j: says how to mend it and leaves with 2', (args, message) => {
    expect(faultOf(...args)).toEqual({ message: expect.stringMatching(message), exitCode: 2 });
  });

  it('names every fault at once', () => {
    expect(faultOf('--check', '--inspect=1', '--port-base', 'x').message.split('\n')).toHaveLength(4);
  });
});
