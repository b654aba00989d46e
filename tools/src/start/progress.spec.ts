import { Progress } from './progress.ts';

/** What a person sees at the end, after every carriage return and wiped line. */
const seen = (text: string) =>
  text
    .split('\n')
    .map((line) => line.split('\r\u001b[2K').at(-1))
    .join('\n');

function screen(isTTY: boolean) {
  let text = '';
  return {
    isTTY,
    columns: 30,
    write: (more: string) => (text += more),
    get text() {
      return text;
    },
  };
}

describe('the progress display', () => {
  it('prints one permanent line per step, with its duration', async () => {
    const lines = screen(false);
    const progress = new Progress(lines);

    await progress.step(
      'postgres',
      async (note) => note('initdb'),
      () => 'postgres 18.4 on 127.0.0.1:4032',
    );

    expect(lines.text).toMatch(/^postgres: initdb\npostgres 18\.4 on 127\.0\.0\.1:4032 … \d\.\d s\n$/);
  });

  it('shows running steps on a terminal in one line that fits, and erases it at the end', async () => {
    const terminal = screen(true);
    const progress = new Progress(terminal);
    const { promise: download, resolve } = Promise.withResolvers<void>();

    const nats = progress.step('nats', (note) => (note('downloading nats-server from the mirror'), download));
    expect(seen(terminal.text)).toBe('nats: downloading nats-server');
    await progress.step('postgres', async () => {});
    expect(seen(terminal.text)).toMatch(/^postgres … 0\.0 s\nnats: downloading nats-server$/);
    resolve();
    await nats;

    expect(seen(terminal.text)).toMatch(/^postgres … 0\.0 s\nnats … 0\.0 s\n$/);
  });

  it('erases the line of a failed step, so that only its error is printed', async () => {
    const terminal = screen(true);
    await expect(new Progress(terminal).step('nats', () => Promise.reject(new Error('no nats-server')))).rejects.toThrow('no nats-server');
    expect(seen(terminal.text)).toBe('');
  });

  it('lets a caller wait for a printed line', async () => {
    const progress = new Progress(screen(false));
    const heard = progress.hears((text) => text.startsWith('shop: '));
    let isHeard = false;
    void heard.then(() => (isHeard = true));

    progress.say('region: hello');
    await Promise.resolve();
    expect(isHeard).toBe(false);
    progress.say('shop: hello');
    await heard;
    expect(isHeard).toBe(true);
  });
});
