import { chosenDriver, natsImage, postgresImage } from './containers.ts';
import { createOptions, exitInWords } from './server-container.ts';

describe('the driver of servers', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['binary', 'binary'],
    ['containers', 'containers'],
  ])('is chosen by CODASE_INFRA: %s means %s', (CODASE_INFRA, driver) => {
    expect(chosenDriver({ CODASE_INFRA })).toBe(driver);
  });

  it('is refused by name when it does not exist', () => {
    expect(() => chosenDriver({ CODASE_INFRA: 'docker' })).toThrow(
      "CODASE_INFRA is 'docker': set it to binary or containers, or unset it.",
    );
  });

  it('uses public images, or those that the environment sets', () => {
    expect([postgresImage({}), natsImage({})]).toEqual(['postgres:18-alpine', 'nats:2-alpine']);
    expect(postgresImage({ CODASE_POSTGRES_IMAGE: 'mirror.example/postgres@sha256:1' })).toBe('mirror.example/postgres@sha256:1');
    expect(natsImage({ CODASE_NATS_IMAGE: 'mirror.example/nats:2.12.1' })).toBe('mirror.example/nats:2.12.1');
  });
});

describe('a server container', () => {
  const command = { args: ['--config', '/srv/nats/nats.conf'], folder: '/srv/nats' };

  it('mounts its folder at the same path, and publishes its port on 127.0.0.1 only', () => {
    const options = createOptions({ ...command, port: 4222 }, 'docker.io/library/nats:2-alpine');

    expect(options).toMatchObject({ Image: 'docker.io/library/nats:2-alpine', Cmd: command.args, ExposedPorts: { '4222/tcp': {} } });
    expect(options.HostConfig).toEqual({
      Binds: ['/srv/nats:/srv/nats'],
      PortBindings: { '4222/tcp': [{ HostIp: '127.0.0.1', HostPort: '4222' }] },
    });
  });

  it('runs as the given user, with the given entry point and further read-only mounts', () => {
    const more = { entrypoint: ['initdb'], user: { uid: 7, gid: 8 }, mounts: { '/etc/passwd': '/srv/nats/passwd' } };
    const options = createOptions({ ...command, ...more }, 'postgres');

    expect(options).toMatchObject({ Entrypoint: ['initdb'], User: '7:8' });
    expect(options.HostConfig).toEqual({ Binds: ['/srv/nats:/srv/nats', '/srv/nats/passwd:/etc/passwd:ro'], PortBindings: {} });
  });

  it.each([
    [0, 'exit code 0'],
    [2, 'exit code 2'],
    [137, 'ended by SIGKILL'],
    [143, 'ended by SIGTERM'],
  ])('reports its exit status %s in words: %s', (code, words) => {
    expect(exitInWords(code)).toBe(words);
  });
});
