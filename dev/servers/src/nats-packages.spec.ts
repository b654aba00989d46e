import { pinnedPackages } from './nats-packages.ts';

const OLD = { version: '2.12.1-1', snapshot: '20250101T000000Z', sha256: { amd64: 'a'.repeat(64) } };

describe('the known packages of nats-server', () => {
  it.each(['x64', 'arm64'])('have a version and a hash for %s', (architecture) => {
    const known = pinnedPackages([], architecture);

    expect(known.length).toBeGreaterThan(0);
    for (const { version, sha256 } of known) {
      expect(version).toMatch(/^2\.(1[2-9]|[2-9]\d)\.\d+-\d+$/);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('are looked for in the own mirrors first, each once, and in the snapshots last', () => {
    const own = [
      { uri: 'http://mirror.example/debian/' },
      { uri: 'http://mirror.example/debian' },
      { uri: 'http://deb.debian.org/debian' },
    ];

    expect(pinnedPackages(own, 'x64', [OLD])[0]!.urls).toEqual(
      ['http://mirror.example/debian', 'http://deb.debian.org/debian', 'https://snapshot.debian.org/archive/debian/20250101T000000Z'].map(
        (uri) => `${uri}/pool/main/n/nats-server/nats-server_2.12.1-1_amd64.deb`,
      ),
    );
  });

  it('are none for a system that has no hash', () => {
    expect(pinnedPackages([], 'arm64', [OLD])).toEqual([]);
    expect(pinnedPackages([], 's390x')).toEqual([]);
  });
});
