import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder, type TemporaryFolder } from '@codase/servers/temporary-folder';

/** Development secrets, made at the first start, in a git-ignored folder that only its owner can read; in memory for a test. */
export class Secrets {
  private readonly stored = new Map<string, string>();
  private readonly mounted = new Map<string, TemporaryFolder>();

  constructor(private readonly dir?: string) {
    if (!dir) return;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    chmodSync(dir, 0o700);
  }

  /** Returns the secret with this name, and makes it first if it is new. */
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

  /** Returns a secret that was stored before. Throws when there is none. */
  known(name: string): string {
    const value = this.read(name);
    if (value === undefined)
      throw new Error(`There is no secret ${name}: it was never made, or its file is gone. npm start -- --fresh begins anew.`);
    return value;
  }

  password(name: string): string {
    return this.get(name, () => randomBytes(24).toString('base64url'));
  }

  /** Stores a value and returns its file, by which a service gets it. */
  put(name: string, value: string): string {
    const path = this.pathOf(name);
    if (path) writeFile(path, value);
    else this.stored.set(name, value);
    return path;
  }

  /** Returns the file of a secret, or '' in memory. */
  pathOf(name: string): string {
    return this.dir ? join(this.dir, name) : '';
  }

  /** Stores a value that is derived from other secrets and is no secret of its own. */
  derive(name: string, value: string): void {
    this.put(name, value);
  }

  /** Returns the file of a secret itself and not a copy, so that later changes reach the process too. Returns '' in memory. */
  share(name: string, process: string, variable: string): string {
    const copy = this.pathOf(`services/${process}/${variable}`); // a copy that an earlier start left
    if (copy) rmSync(copy, { force: true });
    return this.pathOf(name);
  }

  /** Writes files into their own folder, as a cluster mounts them; without a secrets folder into a temporary one, until `unmount`. */
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

  /** Returns the temporary folder of a name, the same one each time. */
  private temporary(name: string): string {
    const folder = this.mounted.get(name) ?? temporaryFolder('mount');
    this.mounted.set(name, folder);
    return folder.path;
  }

  /** Reads a secret from its file each time, because keys are rotated there. */
  private read(name: string): string | undefined {
    if (!this.dir) return this.stored.get(name);
    const path = this.pathOf(name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }
}

/** Writes a file atomically, readable by its owner alone. */
function writeFile(path: string, value: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, value, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export const tokenSigningKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** An Ed25519 key that signs deliveries of webhooks. */
export const webhookSigningKey = (): string => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** An RSA-2048 key that questions to plugins are sealed to. */
export const pluginKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A key of 32 random bytes: for the keyed hash of client secrets, or for encryption at rest. */
export const randomKey = (): string => randomBytes(32).toString('base64');
