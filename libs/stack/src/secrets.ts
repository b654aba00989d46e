import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder, type TemporaryFolder } from '@cds/servers/temporary-folder';

/**
 * Development secrets: made at the first start, kept in an ignored folder that only its owner can read, the same from
 * then on. Without a folder they live in memory, for a test.
 */
export class Secrets {
  private readonly held = new Map<string, string>();
  private readonly dir: string | undefined;
  private readonly mounted = new Map<string, TemporaryFolder>();

  constructor(dir?: string) {
    this.dir = dir;
    if (!dir) return;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    chmodSync(dir, 0o700);
  }

  /** The secret of that name, made now if it is new. */
  get(name: string, make: () => string): string {
    const known = this.read(name);
    if (known !== undefined) return known;
    const fresh = make();
    this.put(name, fresh);
    return fresh;
  }

  has(name: string): boolean {
    return this.read(name) !== undefined;
  }

  /** A secret that was put before. */
  known(name: string): string {
    const value = this.read(name);
    if (value === undefined)
      throw new Error(`There is no secret ${name}: it was never made, or its file is gone. npm start -- --fresh begins anew.`);
    return value;
  }

  password(name: string): string {
    return this.get(name, () => randomBytes(24).toString('base64url'));
  }

  /** Keeps a value and answers the file it lies in, which is how a service is given it. */
  put(name: string, value: string): string {
    const path = this.pathOf(name);
    if (path) writeFile(path, value);
    else this.held.set(name, value);
    return path;
  }

  /** The file that a secret lies in; '' in memory. */
  pathOf(name: string): string {
    return this.dir ? join(this.dir, name) : '';
  }

  /** Keeps what is written out of other secrets, and is no secret of its own. */
  derive(name: string, value: string): void {
    this.put(name, value);
  }

  /** Gives a process the very file of a secret, and no copy: what is written there later reaches it too. Answers the file, '' in memory. */
  share(name: string, process: string, variable: string): string {
    const copy = this.pathOf(`services/${process}/${variable}`); // of an earlier start
    if (copy) rmSync(copy, { force: true });
    return this.pathOf(name);
  }

  /** Files in a folder of their own, as a cluster mounts them; answers the folder. Without one of ours, a temporary one until `unmount`. */
  mount(name: string, files: Readonly<Record<string, string>>): string {
    const folder = this.dir ? join(this.dir, name) : this.temporary(name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [file, value] of Object.entries(files)) writeFile(join(folder, file), value);
    return folder;
  }

  unmount(): void {
    for (const folder of this.mounted.values()) folder.remove();
    this.mounted.clear();
  }

  /** One for each name, however often it is mounted. */
  private temporary(name: string): string {
    const folder = this.mounted.get(name) ?? temporaryFolder('mount');
    this.mounted.set(name, folder);
    return folder.path;
  }

  /** From its file each time: keys are rotated there. */
  private read(name: string): string | undefined {
    if (!this.dir) return this.held.get(name);
    const path = this.pathOf(name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }
}

/** Whole or not at all, and for its owner alone. */
function writeFile(path: string, value: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, value, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** A key that signs access tokens. */
export const tokenSigningKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** An RSA-2048 key, to which questions are sealed. */
export const pluginKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A key of 32 random bytes: that of the keyed hash of client secrets, or that of what is encrypted at rest. */
export const randomKey = (): string => randomBytes(32).toString('base64');
