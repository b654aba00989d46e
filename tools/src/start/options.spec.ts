import { Fault } from '@codase/command-line';
import { HELP, readOptions } from './options.ts';

const read = (args: string[], env: NodeJS.ProcessEnv = {}) => readOptions(args, env, '/repo');

function faultOf(args: string[], env: NodeJS.ProcessEnv = {}): Fault {
  try {
    read(args, env);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('the options were accepted');
}

describe('the options of npm start', () => {
  it('have defaults, so that none is required', () => {
    expect(read([])).toStrictEqual({
      help: false,
      fresh: false,
      check: false,
      portBase: 4000,
      scale: { replicas: 1, nats: 1 },
      stateDir: '/repo/.codase',
      external: undefined,
      traces: undefined,
    });
  });

  it('take the port base from the command line rather than from the environment', () => {
    expect(read([], { CODASE_PORT_BASE: '5000' }).portBase).toBe(5000);
    expect(read(['--port-base', '6000'], { CODASE_PORT_BASE: '5000' }).portBase).toBe(6000);
    expect(read(['--port-base=6000']).portBase).toBe(6000);
  });

  it('set the number of replicas and of NATS nodes', () => {
    expect(read(['--replicas', '2', '--nats=3']).scale).toEqual({ replicas: 2, nats: 3 });
  });

  it.each([
    [['--replicas', '4'], "--replicas is '4': give 1, 2 or 3."],
    [['--replicas'], "--replicas is '': give 1, 2 or 3."],
    [['--nats=2'], "--nats is '2': give 1 or 3."],
  ])('refuse %j', (args, sentence) => expect(faultOf(args).message).toBe(sentence));

  it('refuse several NATS nodes when the caller provides the servers', () => {
    const env = { DATABASE_URL: 'postgres://me@db:5432/postgres', NATS_URL: 'nats://bus:4222' };
    expect(faultOf(['--nats', '3'], env).message).toContain('NATS_URL names yours');
  });

  it('resolve the state folder from the repository root unless it is absolute', () => {
    expect(read([], { CODASE_STATE_DIR: 'state' }).stateDir).toBe('/repo/state');
    expect(read([], { CODASE_STATE_DIR: '/var/state' }).stateDir).toBe('/var/state');
  });

  it("use the caller's servers when both URLs are set", () => {
    const env = { DATABASE_URL: 'postgres://me@db:5432/postgres', NATS_URL: 'nats://bus:4222' };
    expect(read([], env).external).toEqual({ databaseUrl: env.DATABASE_URL, natsUrl: env.NATS_URL });
  });

  it('report every error at once with exit code 2', () => {
    const fault = faultOf(['--port-base', 'many', '--frsh', 'now', '--check=yes'], { NATS_URL: 'nats://bus:4222' });

    expect(fault.exitCode).toBe(2);
    expect(fault.message.split('\n')).toEqual([
      'There is no option --frsh: npm start -- --help lists those there are.',
      "'now' is not understood: npm start takes options only (--help lists them).",
      "--check takes no value: leave '=yes' away.",
      "--port-base is 'many': give a whole number from 1024 to 65000.",
      'NATS_URL is set and DATABASE_URL is not: set both to use your own servers, or unset NATS_URL to have npm start run them.',
    ]);
  });

  it.each(['80', '70000', '4000.5', '-4000', ''])('refuse %p as port base', (text) => {
    expect(faultOf([`--port-base=${text}`]).message).toContain(`--port-base is '${text}'`);
  });

  it('do not print an invalid URL, which may contain a password', () => {
    const fault = faultOf([], { DATABASE_URL: 'mysql://root:hunter2@db/x', NATS_URL: 'nats://bus' });
    expect(fault.message).toContain('DATABASE_URL is not a URL such as postgres://');
    expect(fault.message).not.toContain('hunter2');
  });

  it('refuse --fresh when the caller provides the servers', () => {
    const env = { DATABASE_URL: 'postgres://db/x', NATS_URL: 'nats://bus' };
    expect(faultOf(['--fresh'], env).message).toMatch(/--fresh.*empty those yourself/);
  });

  it('are all listed on the help page, with the environment variables', () => {
    const options = ['--fresh', '--check', '--port-base', '--help'];
    const variables = [
      'CODASE_PORT_BASE',
      'CODASE_STATE_DIR',
      'DATABASE_URL',
      'NATS_URL',
      'NATS_SERVER_BIN',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    ];
    for (const word of [...options, ...variables]) expect(HELP).toContain(word);
  });
});
