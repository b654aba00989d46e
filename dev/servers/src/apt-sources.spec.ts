import { newerMirrors, parseSourcesFile, parseSourcesList, sourceLine } from './apt-sources.ts';

const debian = { id: 'debian', codename: 'bookworm' };

describe('the sources of apt', () => {
  it('are read from the one-line format', () => {
    expect(
      parseSourcesList(`
# deb http://old.example/debian bookworm main
deb-src http://deb.example/debian bookworm main
deb http://deb.example/debian bookworm main contrib # ours
deb [arch=arm64 signed-by=/keys/docker.gpg] https://docker.example/linux bookworm stable
`),
    ).toEqual([
      { uri: 'http://deb.example/debian', suites: ['bookworm'], components: ['main', 'contrib'], signedBy: undefined },
      { uri: 'https://docker.example/linux', suites: ['bookworm'], components: ['stable'], signedBy: '/keys/docker.gpg' },
    ]);
  });

  it('are read from the deb822 format', () => {
    expect(
      parseSourcesFile(`Types: deb deb-src
# a comment
URIs: http://deb.example/debian http://second.example/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
Enabled: no
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://keyed.example/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
`),
    ).toEqual([
      ...['http://deb.example/debian', 'http://second.example/debian'].map((uri) => ({
        uri,
        suites: ['bookworm', 'bookworm-updates'],
        components: ['main'],
        signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
      })),
      { uri: 'http://keyed.example/debian', suites: ['bookworm'], components: ['main'], signedBy: undefined },
    ]);
  });

  it('lead to newer suites on the distribution’s own mirror, newest first, and to no third-party archive', () => {
    const signedBy = '/k/debian-archive-keyring.gpg';
    const own = { uri: 'http://deb.example/debian', suites: ['bookworm', 'bookworm-updates'], components: ['main'], signedBy };
    const foreign = [
      { uri: 'https://security.example/debian', suites: ['bookworm-security'], components: ['main'], signedBy },
      { uri: 'https://docker.example/linux', suites: ['bookworm'], components: ['stable'] },
      { uri: 'https://vendor.example', suites: ['bookworm'], components: ['main'], signedBy: '/keys/vendor.gpg' },
      { uri: 'cdrom:[Debian]', suites: ['bookworm'], components: ['main'] },
    ];

    const mirrors = newerMirrors([...foreign, own], debian);

    expect(mirrors.map(({ uri, suite }) => `${uri} ${suite}`)).toEqual(
      ['sid', 'testing', 'trixie-backports', 'trixie'].map((suite) => `http://deb.example/debian ${suite}`),
    );
    expect(sourceLine(mirrors[0]!)).toBe('deb [signed-by=/k/debian-archive-keyring.gpg] http://deb.example/debian sid main\n');
  });

  it('include the universe component on Ubuntu', () => {
    const own = { uri: 'http://u.example/ubuntu', suites: ['noble'], components: ['main'] };
    const [first] = newerMirrors([own], { id: 'ubuntu', codename: 'noble' });

    expect(sourceLine(first!)).toBe('deb http://u.example/ubuntu devel main universe\n');
  });

  it('lead to no mirror on other systems', () => {
    expect(newerMirrors([{ uri: 'http://x.example', suites: ['40'], components: ['main'] }], { id: 'fedora', codename: '40' })).toEqual([]);
  });
});
