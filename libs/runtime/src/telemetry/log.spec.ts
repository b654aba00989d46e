import { Refusal } from '@codase/contracts';
import { OperatorFault } from '../operator-fault.ts';
import { openLog, type Facts } from './index.ts';

function lines() {
  const written: string[] = [];
  const log = openLog('tester', { write: (line: string) => void written.push(line) });
  return { log, last: () => JSON.parse(written.at(-1)!) as Record<string, unknown>, text: () => written.join('') };
}

describe('a log line', () => {
  it('is one JSON object with the service, the level, the message and its facts', () => {
    const { log, last } = lines();

    log.info('token renewed', { 'codase.service': 'shop' });

    expect(last()).toMatchObject({ level: 'info', service: 'tester', message: 'token renewed', 'codase.service': 'shop' });
  });

  it('contains only facts of the closed list', () => {
    const { log, text } = lines();

    log.warn('careless', { 'codase.service': 'shop', client_secret: 'hunter2', authorization: 'Bearer abc' } as Facts);

    expect(text()).toContain('careless');
    expect(text()).not.toMatch(/hunter2|Bearer/);
  });

  it('describes an error by its type and frames, because its message may contain secrets', () => {
    const { log, last, text } = lines();
    const secret = '{"password": "hunter2"';
    const thrown = attempt(() => JSON.parse(`${secret}x`) as unknown);

    log.error('request failed', { error: thrown });

    expect(last()).toMatchObject({ 'error.type': 'SyntaxError', frames: expect.arrayContaining([expect.stringContaining('log.spec')]) });
    expect(text()).not.toContain('hunter2');
  });

  it.each([
    ['its message holds', (error: Error) => error],
    [
      'a message of it held that was changed later',
      (error: Error) => (error.stack ? Object.assign(error, { message: 'import failed' }) : error),
    ],
  ])('does not log a line as a stack frame that %s', (_, changed) => {
    const { log, last, text } = lines();
    const value = 'delivered\n    at Main Street 5\n    at 10:15:30\nat noon (see 1:1:1)\n    at the door (ring 2:2)';

    log.error('import failed', { error: changed(new Error(`no address: ${value}`)) });

    expect(text()).not.toMatch(/Main Street|10:15:30|noon|door/);
    expect(last()).toMatchObject({ frames: expect.arrayContaining([expect.stringMatching(/^at .*log\.spec\.ts:\d+:\d+\)?$/)]) });
  });

  it('does not log a line of a message as a stack frame, even when it looks like one', () => {
    const { log, text } = lines();

    log.error('import failed', { error: new Error('no file:\n    at secret (file:///home/secret.txt:1:2)') });

    expect(text()).not.toContain('secret');
  });

  it('keeps every kind of stack frame', () => {
    const { log, last } = lines();
    const frames = [
      'at Object.<anonymous> (/app/src/main.ts:1:2)',
      'at file:///app/main.mjs:1:2',
      'at async open (node:internal/fs/promises:637:25)',
      'at async Promise.all (index 0)',
      'at Array.map (<anonymous>)',
      'at eval (eval at run (file:///app/main.mjs:6:7), <anonymous>:1:7)',
    ];
    const stack = ['Error: broken', ...frames].join('\n    ');

    log.error('import failed', { error: Object.assign(new Error('broken'), { stack }) });

    expect(last()['frames']).toEqual(frames);
  });

  it('keeps the message of a refusal, of the operating system and of an operator fault', () => {
    const { log, last, text } = lines();

    log.error('refused', { error: new Refusal('auth.token_invalid') });
    expect(last()).toMatchObject({
      'codase.error_key': 'auth.token_invalid',
      'error.message': expect.stringContaining('token'),
      message: 'refused',
    });

    log.error('no file', { error: Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' }) });
    expect(last()).toMatchObject({ code: 'ENOENT', 'error.message': 'ENOENT: no such file', message: 'no file' });

    log.error('not connected', { error: new OperatorFault('NATS at a is gone: start it') });
    expect(last()).toMatchObject({ 'error.message': 'NATS at a is gone: start it' });
    expect(text()).not.toMatch(/"message":.*"message":/);
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
