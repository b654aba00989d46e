import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { subject } from '@codase/contracts';
import { Bus, ensureStream, Publisher } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { startNats, type Nats, type NatsServer } from '@codase/servers';
import { z } from 'zod';

const run = promisify(execFile);

/** A disk in a file. What is not written to it yet is in memory, so a copy of the file is what a power cut would leave behind. */
class Disk {
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

/** When the server syncs to the disk. The stack uses `every write`. `now and then` is the server's default. */
type Synced = 'every write' | 'now and then';

export interface PowerCutResult {
  synced: Synced;
  server: string;
  /** The events that the stream had acknowledged when the power failed. */
  acknowledged: number;
  lost: number;
}

const EVENT = subject('power-cut.v1.{n}', { stream: 'POWER_CUT', message: z.object({ n: z.int() }) });
const MEGABYTES = 512;
const password = randomBytes(12).toString('hex');
const config = { accounts: { test: { jetstream: true, users: [{ user: 'test', password }] } } };

/** Publishes until this many events are acknowledged, cuts the power, and counts what a server finds on the disk. Needs Linux and root. */
export async function powerCut(server: NatsServer, synced: Synced, events: number): Promise<PowerCutResult> {
  const disk = await Disk.make(MEGABYTES);
  try {
    const nats = await openOn(disk, server, synced);
    const left = await cutAfter(nats, disk, events).finally(() => end(nats));
    const lost = events - (await found(left, server, synced).finally(() => left.remove()));
    return { synced, server: nats.version, acknowledged: events, lost };
  } finally {
    await disk.remove();
  }
}

/** Stops the server first, so that nothing more is written while the disk is copied. */
async function cutAfter(nats: Nats, disk: Disk, events: number): Promise<Disk> {
  await within(nats, (bus) => publish(bus, events));
  process.kill(nats.pid, 'SIGSTOP');
  return disk.afterPowerCut();
}

async function end(nats: Nats): Promise<void> {
  nats.kill();
  await nats.exited;
}

const openOn = (disk: Disk, server: NatsServer, synced: Synced): Promise<Nats> =>
  startNats(server, { dir: join(disk.folder, 'nats'), durable: synced === 'every write', config });

async function within<T>(nats: Nats, work: (bus: Bus) => Promise<T>): Promise<T> {
  const bus = await Bus.connect({ url: nats.url, user: 'test', password, name: 'power-cut', log: silentLog });
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}

async function publish(bus: Bus, events: number): Promise<void> {
  await ensureStream(bus, EVENT.stream!, [EVENT], { batches: true, maxBytes: 128 * 1024 ** 2 });
  const messages = Array.from({ length: events }, (_, n) => ({
    subject: `power-cut.v1.${n}`,
    id: String(n),
    headers: {},
    body: Buffer.from(JSON.stringify({ n })),
  }));
  await new Publisher(bus, { timeoutMs: 30_000 }).publish(messages);
}

/** Returns how many events the stream on the disk holds. A missing stream holds none. */
async function found(disk: Disk, server: NatsServer, synced: Synced): Promise<number> {
  const nats = await openOn(disk, server, synced);
  try {
    return await within(nats, async (bus) => {
      const stream = await (await bus.manager()).streams.info(EVENT.stream!).catch(() => undefined);
      return stream?.state.messages ?? 0;
    });
  } finally {
    await nats.stop();
  }
}
