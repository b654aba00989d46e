import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@codase/command-line';
import { inTempTree } from '@codase/testing/temp-tree';
import { compareVersions, isVersion, newestOf, notesOf, sectionsOf, withVersion } from './changelog.ts';
import { releaseFiles } from './release-files.ts';
import { release } from './release.ts';

const CHANGELOG = `# Changelog

Newest first.

## Unreleased

### You must
- load the new rules.

### Webhooks
- A webhook can be paused.

## 0.1.0 (2026-11-15)

- The first one.
`;

describe('versions', () => {
  it('are three numbers, ordered number by number', () => {
    expect(['0.1.0', '10.20.30'].every(isVersion)).toBe(true);
    expect(['1.0', 'v1.0.0', '1.0.0-rc.1', '01.0.0', ''].some(isVersion)).toBe(false);
    expect(newestOf(['0.9.0', '0.10.0', '0.2.11'])).toBe('0.10.0');
    expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
    expect(newestOf([])).toBeUndefined();
  });
});

describe('the changelog of a release', () => {
  const released = withVersion(CHANGELOG, '0.2.0', '2026-11-20');

  it('has the unreleased changes below the version, and an empty list for the next ones', () => {
    expect(sectionsOf(released).map(({ heading, version, date }) => [heading, version, date])).toEqual([
      ['Unreleased', undefined, undefined],
      ['0.2.0 (2026-11-20)', '0.2.0', '2026-11-20'],
      ['0.1.0 (2026-11-15)', '0.1.0', '2026-11-15'],
    ]);
    expect(sectionsOf(released)[0]!.body).toBe('');
    expect(released.startsWith('# Changelog\n\nNewest first.\n')).toBe(true);
  });

  it('gives the notes of the version', () => {
    expect(notesOf(released, '0.2.0')).toBe(
      '# 0.2.0 (2026-11-20)\n\n### You must\n- load the new rules.\n\n### Webhooks\n- A webhook can be paused.\n',
    );
  });
});

/** The files of a small repository with a workspace, a folder that is no workspace, and a chart. */
const FILES = {
  'CHANGELOG.md': CHANGELOG,
  '.gitignore': '/release/\n',
  'package.json': json({ name: 'all', version: '0.1.0', workspaces: ['libs/*', 'tools'] }),
  'libs/a/package.json': json({ name: 'a', version: '0.1.0', dependencies: { b: '0.1.0' } }),
  'libs/a/sample/package.json': json({ name: 'sample', version: '0.1.0' }),
  'tools/package.json': json({ name: 'tools' }),
  'package-lock.json': json({
    name: 'all',
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0' },
      'libs/a': { version: '0.1.0' },
      'libs/a/node_modules/b': { version: '0.1.0' },
      'node_modules/a': { link: true },
    },
  }),
  'deploy/chart/Chart.yaml': 'name: all\nversion: 0.1.0\nappVersion: 0.1.0\nkubeVersion: ">=1.31.0-0"\n',
};

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

describe('the files of a release', () => {
  const read = (path: string) => FILES[path as keyof typeof FILES];
  const files = releaseFiles(Object.keys(FILES), read, '0.2.0', '2026-11-20');
  const parsed = (path: string) => JSON.parse(files.get(path)!) as { version?: string; packages: object };

  it('are the changelog, the packages, the lock file and the chart', () => {
    expect([...files.keys()]).toEqual([
      'CHANGELOG.md',
      'package.json',
      'libs/a/package.json',
      'tools/package.json',
      'package-lock.json',
      'deploy/chart/Chart.yaml',
    ]);
  });

  it('have the version wherever ours stood, and no other version changes', () => {
    expect(files.get('package.json')).toBe(FILES['package.json'].replace('0.1.0', '0.2.0'));
    expect(files.get('libs/a/package.json')).toBe(FILES['libs/a/package.json'].replace('0.1.0', '0.2.0'));
    expect(files.get('tools/package.json')).toBe(FILES['tools/package.json']);
    expect(parsed('package-lock.json')).toMatchObject({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' }, 'libs/a': { version: '0.2.0' }, 'libs/a/node_modules/b': { version: '0.1.0' } },
    });
    expect(files.get('deploy/chart/Chart.yaml')).toBe('name: all\nversion: 0.2.0\nappVersion: 0.2.0\nkubeVersion: ">=1.31.0-0"\n');
  });
});

describe('a release of a repository', () => {
  /** Everything that a test does with one small repository. */
  class Repo {
    readonly said: string[] = [];
    packs = 0;

    constructor(readonly root: string) {
      this.git('init', '--quiet', '--initial-branch=main');
      for (const [key, value] of [
        ['user.name', 'A'],
        ['user.email', 'a@example.com'],
        ['commit.gpgsign', 'false'],
        ['tag.gpgsign', 'false'],
      ])
        this.git('config', key!, value!);
      this.commit('chore: begin');
      this.git('tag', 'v0.1.0');
    }

    git(...args: string[]): string {
      return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    }

    commit(message: string): void {
      this.git('add', '--all');
      this.git('commit', '--quiet', '--allow-empty', '--message', message);
    }

    read(path: string): string {
      return readFileSync(join(this.root, path), 'utf8');
    }

    write(path: string, text: string): void {
      writeFileSync(join(this.root, path), text);
    }

    /** Runs the command. The packages are one file with the version that the work tree has when they are packed. */
    release(version: string, { today = '2026-11-20', isDryRun = false, pack = (to: string) => this.pack(to) } = {}): Promise<void> {
      const to = join(this.root, 'release');
      return release({ root: this.root, version, to, today, isDryRun, pack, say: (line) => this.said.push(line) });
    }

    async pack(to: string): Promise<string[]> {
      this.packs += 1;
      const { version } = JSON.parse(this.read('libs/a/package.json')) as { version: string };
      const file = join(to, `a-${version}.tgz`);
      writeFileSync(file, '');
      return [file];
    }
  }

  const inRepo = (use: (repo: Repo) => Promise<void>) => inTempTree(FILES, (root) => use(new Repo(root)));
  const NOTES = '# 0.2.0 (2026-11-20)\n\n### You must\n- load the new rules.\n\n### Webhooks\n- A webhook can be paused.\n';

  /** Returns what there is after a release. */
  const leftBy = (repo: Repo) => ({
    commits: repo.git('log', '--format=%s').split('\n'),
    changes: repo.git('status', '--porcelain'),
    isTaggedHere: repo.git('rev-parse', 'v0.2.0^{commit}') === repo.git('rev-parse', 'HEAD'),
    tag: `${repo.git('tag', '--list', '--format=%(contents)', 'v0.2.0')}\n`,
    notes: repo.read('release/notes-0.2.0.md'),
    isPacked: existsSync(join(repo.root, 'release/a-0.2.0.tgz')),
    versions: sectionsOf(repo.read('CHANGELOG.md')).map(({ heading }) => heading),
  });
  /** What there is after a release that is whole and was made once. */
  const RELEASED = {
    commits: ['chore(release): 0.2.0', 'chore: begin'],
    changes: '',
    isTaggedHere: true,
    tag: NOTES,
    notes: NOTES,
    isPacked: true,
    versions: ['Unreleased', '0.2.0 (2026-11-20)', '0.1.0 (2026-11-15)'],
  };

  it('is one commit, an annotated tag, notes and packages of that version, and says how to push', () =>
    inRepo(async (repo) => {
      await repo.release('0.2.0');

      expect(leftBy(repo)).toEqual(RELEASED);
      expect(repo.git('cat-file', '-t', 'v0.2.0')).toBe('tag');
      expect(repo.said.at(-1)).toBe('Nothing is pushed yet: git push origin main v0.2.0');
    }));

  it('writes nothing with --dry-run', () =>
    inRepo(async (repo) => {
      await repo.release('0.2.0', { isDryRun: true });

      expect(repo.said.slice(0, 3).every((line) => line.startsWith('would '))).toBe(true);
      expect(repo.git('log', '--format=%s')).toBe('chore: begin');
      expect(repo.git('status', '--porcelain')).toBe('');
      expect(existsSync(join(repo.root, 'release'))).toBe(false);
    }));

  describe('that was killed goes on when the command is run again, also on a later day:', () => {
    const LATER = { today: '2026-11-21' };

    it('while files were written', () =>
      inRepo(async (repo) => {
        const written = releaseFiles(Object.keys(FILES), (path) => repo.read(path), '0.2.0', '2026-11-20');
        for (const path of ['CHANGELOG.md', 'package.json']) repo.write(path, written.get(path)!);

        await repo.release('0.2.0', LATER);

        expect(leftBy(repo)).toEqual(RELEASED);
      }));

    it('before the commit', () =>
      inRepo(async (repo) => {
        await repo.release('0.2.0');
        repo.git('tag', '--delete', 'v0.2.0');
        repo.git('reset', '--soft', 'HEAD~1');

        await repo.release('0.2.0', LATER);

        expect(leftBy(repo)).toEqual(RELEASED);
      }));

    it('before the tag', () =>
      inRepo(async (repo) => {
        await repo.release('0.2.0');
        repo.git('tag', '--delete', 'v0.2.0');

        await repo.release('0.2.0', LATER);

        expect(leftBy(repo)).toEqual(RELEASED);
      }));

    it('before the packages', () =>
      inRepo(async (repo) => {
        await expect(repo.release('0.2.0', { pack: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');

        await repo.release('0.2.0', LATER);

        expect(leftBy(repo)).toEqual(RELEASED);
        expect(repo.packs).toBe(1);
      }));
  });

  describe('is refused', () => {
    /** Returns the sentence of the refusal, which must have changed nothing. */
    const refusalOf = (version: string, prepare: (repo: Repo) => unknown) =>
      inTempTree(FILES, async (root) => {
        const repo = new Repo(root);
        prepare(repo);
        const before = [repo.git('rev-parse', 'HEAD'), repo.git('status', '--porcelain')];

        const refusal = await repo.release(version).then(() => 'none', messageOf);

        expect([repo.git('rev-parse', 'HEAD'), repo.git('status', '--porcelain')]).toEqual(before);
        expect(repo.packs).toBe(0);
        return refusal;
      });

    it('with changes that are not committed, named one by one', async () => {
      expect(await refusalOf('0.2.0', (repo) => repo.write('new.txt', ''))).toMatch(/not committed.*\n {2}new\.txt$/);
    });

    it('with changes of its own files that it did not make', async () => {
      const changed = FILES['package.json'].replace('all', 'other');

      expect(await refusalOf('0.2.0', (repo) => repo.write('package.json', changed))).toMatch(/\n {2}package\.json$/);
    });

    it('on another branch than the default one', async () => {
      expect(await refusalOf('0.2.0', (repo) => repo.git('checkout', '--quiet', '-b', 'topic'))).toContain('git checkout main');
    });

    it('when the version is not above the last one of the changelog, or of the tags', async () => {
      expect(await refusalOf('0.1.0', (repo) => repo.git('tag', '--delete', 'v0.1.0'))).toContain('0.1.0 is not above 0.1.0');
      expect(await refusalOf('0.2.0', (repo) => repo.git('tag', 'v0.10.0'))).toContain('0.2.0 is not above 0.10.0');
    });

    it('when its tag is at another commit', async () => {
      expect(await refusalOf('0.1.0', (repo) => repo.commit('fix: more'))).toMatch(
        /v0\.1\.0 exists already.*\n.*above 0\.1\.0.*\n.*git checkout v0\.1\.0/,
      );
    });

    it('when it is committed below HEAD without a tag', async () => {
      const refusal = await refusalOf('0.2.0', (repo) => {
        repo.commit('chore(release): 0.2.0');
        repo.commit('fix: more');
      });

      expect(refusal).toMatch(/0\.2\.0 is committed, and has no tag yet: git checkout [0-9a-f]+,/);
    });

    it('when nothing is unreleased', async () => {
      const refusal = await refusalOf('0.2.0', (repo) => {
        repo.write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-15)\n\n- The first one.\n');
        repo.commit('docs: nothing');
      });

      expect(refusal).toContain('nothing to release');
    });

    it('when the list of what users must do is not the first', async () => {
      const refusal = await refusalOf('0.2.0', (repo) => {
        repo.write('CHANGELOG.md', CHANGELOG.replace('### You must', '### Also\n- x.\n\n### You must'));
        repo.commit('docs: order');
      });

      expect(refusal).toContain('it comes first');
    });
  });
});
