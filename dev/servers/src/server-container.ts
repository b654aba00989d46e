import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ContainerRuntimeClient } from 'testcontainers';
import { containerRuntime, fullImageName } from './containers.ts';
import { guard } from './guard.ts';
import { openLog } from './log-file.ts';
import { RunningServer } from './running-server.ts';
import type { SystemUser } from './system-user.ts';

type Containers = ContainerRuntimeClient['container'];
type Container = Awaited<ReturnType<Containers['create']>>;
type CreateOptions = Parameters<Containers['create']>[0];

interface ContainerCommand {
  image: string;
  /** Replaces the image's own entry point. */
  entrypoint?: readonly string[];
  args: readonly string[];
  /** The port, the same inside the container and on 127.0.0.1. */
  port?: number;
  /** The folder with the server's configuration and data; it has the same path inside the container. */
  folder: string;
  /** Further files that the server can read, by their paths inside the container. */
  mounts?: Readonly<Record<string, string>>;
  log: string;
  user?: SystemUser | undefined;
  /** The signals that ask the server to end, the gentlest first; it has ten seconds after each. */
  signals: readonly NodeJS.Signals[];
  /** A folder that the guard deletes if this process dies before it has stopped the server. */
  removeWithUs?: string | undefined;
}

/** The label that names the folder a container serves. */
const FOLDER_LABEL = 'company-data-service.folder';

/** A server in a new container. Data that must last lies in the folder. The container never outlives this process. */
export class ServerContainer extends RunningServer {
  readonly ownPid = 1;
  readonly exited: Promise<string>;
  private ended: string | undefined;
  private readonly release: () => void;

  private constructor(
    private readonly container: Container,
    { signals, removeWithUs }: ContainerCommand,
    readonly pid: number,
    readonly logStart: number,
    logWritten: Promise<void>,
  ) {
    super(signals);
    this.release = guard({ command: [process.execPath, REMOVER, container.id], folder: removeWithUs });
    this.exited = exitOf(container, logWritten);
    void this.exited.then((how) => (this.ended = how));
  }

  static async launch(command: ContainerCommand): Promise<RunningServer> {
    const { container: containers } = await containerRuntime();
    const container = await containers.create(createOptions(command, await fullImageName(command.image)));
    const log = await openLog(command.log);
    const { size } = await log.stat();
    const file = log.createWriteStream();
    try {
      await container.start();
    } catch (error) {
      const { message } = error as Error; // a port that is taken, a folder that cannot be mounted
      file.end(`${message}\n`);
      await once(file, 'close');
      await container.remove({ force: true, v: true });
      return new FailedStart(message.split('\n', 1)[0]!, size);
    }
    const logWritten = copyLog(container, file);
    return new ServerContainer(container, command, await pidOf(container, command.folder), size, logWritten);
  }

  get end(): string | undefined {
    return this.ended;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.ended === undefined) void this.container.kill({ signal }).catch(() => undefined); // it may just have ended
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.container.remove({ force: true, v: true }).catch(() => undefined); // another process may have removed it
    this.release();
  }
}

/** A container that the runtime could not start at all. */
class FailedStart extends RunningServer {
  readonly pid = 0;
  readonly ownPid = 0;
  readonly exited: Promise<string>;

  constructor(
    readonly end: string,
    readonly logStart: number,
  ) {
    super([]);
    this.exited = Promise.resolve(end);
  }

  signal(): void {
    // nothing runs
  }
}

/** The options for the runtime. GenericContainer would publish the port on every address, and wait ten seconds on podman. */
export function createOptions(
  { entrypoint, args, port, folder, mounts = {}, user }: Omit<ContainerCommand, 'image' | 'log' | 'signals'>,
  image: string,
): CreateOptions {
  const ports = port === undefined ? [] : [`${port}/tcp`];
  const readable = Object.entries(mounts).map(([inside, outside]) => `${outside}:${inside}:ro`);
  return {
    Image: image,
    ...(entrypoint && { Entrypoint: [...entrypoint] }),
    Cmd: [...args],
    ...(user && { User: `${user.uid}:${user.gid}` }),
    Labels: { [FOLDER_LABEL]: folder },
    ExposedPorts: Object.fromEntries(ports.map((name) => [name, {}])),
    HostConfig: {
      Binds: [`${folder}:${folder}`, ...readable],
      PortBindings: Object.fromEntries(ports.map((name) => [name, [{ HostIp: '127.0.0.1', HostPort: String(port) }]])),
    },
  };
}

/** The built file, because Node runs it without a compiler, also when this file is run from its source. */
const REMOVER = fileURLToPath(new URL('../dist/remove-container.js', import.meta.url));

/** Copies the container's log to a file, by the stream of dockerode: that of testcontainers keeps no process alive. */
async function copyLog(container: Container, file: Writable): Promise<void> {
  const stream = await container.logs({ follow: true, stdout: true, stderr: true });
  container.modem.demuxStream(stream, file, file);
  await finished(stream).catch(() => undefined); // the stream is cut off when the container is removed
  file.end();
  await finished(file).catch(() => undefined);
}

/** How long the last lines of an ended container may take to reach its log. */
const LAST_LINES_MS = 1_000;

async function exitOf(container: Container, logWritten: Promise<void>): Promise<string> {
  const { StatusCode } = (await container.wait()) as { StatusCode: number };
  const timer = new AbortController();
  await Promise.race([logWritten, sleep(LAST_LINES_MS, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
  return exitInWords(StatusCode);
}

/** Describes how a container ended in the same words as for a process: a container reports a signal as 128 plus its number. */
export function exitInWords(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return signal ? `ended by ${signal[0]}` : `exit code ${code}`;
}

/**
 * The number of a container's process on this machine. It is 0 when the runtime is in a virtual machine with process numbers of its own, so
 * that another process is not mistaken for it. The process is recognised by the folder, which is in the command line of each of our
 * servers.
 */
async function pidOf(container: Container, folder: string): Promise<number> {
  const { State } = await container.inspect();
  for (let tries = 0; tries < 20; tries++) {
    const commandLine = await readFile(`/proc/${State.Pid}/cmdline`, 'utf8').catch(() => undefined);
    if (!commandLine) return 0;
    if (commandLine.includes(folder)) return State.Pid;
    await sleep(10); // the runtime is about to replace its own program with ours
  }
  return 0;
}

/** The container that serves this folder now, in words; undefined when there is none. */
export async function servingContainer(folder: string): Promise<string | undefined> {
  const { container: containers } = await containerRuntime();
  const filters = JSON.stringify({ label: [`${FOLDER_LABEL}=${folder}`], status: ['running'] });
  const [first] = await containers.dockerode.listContainers({ filters });
  if (!first) return undefined;
  const pid = await pidOf(containers.getById(first.Id), folder);
  return pid ? `process ${pid}` : `container ${first.Id.slice(0, 12)}`;
}
