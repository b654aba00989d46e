import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

/** Reports changes below some folders, each watched by itself: Node's recursive watching loses files renamed into place on Linux. */
export class SourceWatch {
  private readonly watchers = new Map<string, FSWatcher>();

  constructor(
    folders: readonly string[],
    private readonly changed: (path: string) => void,
  ) {
    for (const folder of folders) this.add(folder);
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private add(folder: string): string[] {
    this.drop(folder); // a folder of this name may have been there before
    const watcher = watch(folder, (_, name) => name !== null && this.check(join(folder, name)));
    watcher.on('error', () => this.drop(folder)); // the folder is gone
    this.watchers.set(folder, watcher);
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? this.add(path) : [path];
    });
  }

  private drop(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  /** A new folder may have got files before it was watched, so these are reported with it. */
  private check(path: string): void {
    if (!isFolder(path) && this.watchers.has(path)) return this.drop(path); // its own watcher has reported its files
    const files = isFolder(path) ? this.filesOf(path) : [path];
    for (const file of files) this.changed(file);
  }

  private filesOf(folder: string): string[] {
    if (this.watchers.has(folder)) return [];
    try {
      return this.add(folder);
    } catch {
      this.drop(folder); // removed again in the meantime
      return [];
    }
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
