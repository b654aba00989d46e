import { execFileSync } from 'node:child_process';
import { isVersion } from './changelog.ts';

export class Repository {
  constructor(readonly root: string) {}

  /** Returns the paths that differ from HEAD, those that git does not know included. */
  changedPaths(): string[] {
    const entries = this.git('status', '--porcelain', '--no-renames', '--untracked-files=all', '-z').split('\0').filter(Boolean);
    return entries.map((entry) => entry.slice(3));
  }

  /** Returns the branch that is checked out; undefined when none is. */
  branch(): string | undefined {
    return this.tryGit('symbolic-ref', '--quiet', '--short', 'HEAD');
  }

  /** Returns the branch that a clone of the remote checks out; `main` when there is no remote. */
  defaultBranch(): string {
    return this.tryGit('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')?.replace(/^origin\//, '') ?? 'main';
  }

  taggedVersions(): string[] {
    const tags = this.git('tag', '--list', 'v*').split('\n');
    return tags.map((tag) => tag.slice(1)).filter(isVersion);
  }

  commitOf(name: string): string | undefined {
    return this.tryGit('rev-parse', '--quiet', '--verify', `${name}^{commit}`);
  }

  subject(): string {
    return this.git('log', '-1', '--format=%s').trim();
  }

  /** Returns the short id of the newest commit with this subject below HEAD; undefined when there is none. */
  commitWithSubject(subject: string): string | undefined {
    const lines = this.git('log', '--format=%h %s', '--fixed-strings', `--grep=${subject}`).split('\n');
    return lines.find((line) => line.slice(line.indexOf(' ') + 1) === subject)?.split(' ')[0];
  }

  files(): string[] {
    return this.git('ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0').filter(Boolean);
  }

  read(path: string): string {
    return this.git('show', `HEAD:${path}`);
  }

  commit(paths: readonly string[], message: string): void {
    this.git('add', '--', ...paths);
    this.git('commit', '--quiet', '--message', message);
  }

  /** Writes an annotated tag at HEAD. Its message is kept as it is, although lines of it begin with a number sign. */
  tag(name: string, message: string): void {
    execFileSync('git', ['tag', '--annotate', '--cleanup=verbatim', '--file=-', name], { cwd: this.root, input: message });
  }

  private git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  }

  /** Returns what git prints; undefined when it fails, which it does silently here. */
  private tryGit(...args: string[]): string | undefined {
    try {
      return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      return undefined;
    }
  }
}
