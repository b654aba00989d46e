import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A disk in a file. What is not written to it yet is in memory, so a copy of the file is what a power cut would leave behind. */
export class Disk {
  private constructor(
    private readonly image: string,
    readonly folder: string,
  ) {}

  static async make(megabytes: number): Promise<Disk> {
    const workFolder = await mkdtemp(join(tmpdir(), 'codase-disk-'));
    const image = join(workFolder, 'disk');
    await run('truncate', ['-s', `${megabytes}M`, image]);
    await run('mkfs.ext4', ['-q', '-F', image]);
    return Disk.attach(image, workFolder);
  }

  private static async attach(image: string, workFolder: string): Promise<Disk> {
    const folder = join(workFolder, 'mounted');
    await mkdir(folder, { recursive: true });
    await run('mount', ['-o', 'loop', image, folder]);
    return new Disk(image, folder);
  }

  async afterPowerCut(): Promise<Disk> {
    const workFolder = await mkdtemp(join(tmpdir(), 'codase-disk-'));
    const image = join(workFolder, 'disk');
    await run('cp', ['--sparse=always', this.image, image]);
    return Disk.attach(image, workFolder);
  }

  async remove(): Promise<void> {
    await run('umount', [this.folder]);
    await rm(join(this.image, '..'), { recursive: true, force: true });
  }
}
