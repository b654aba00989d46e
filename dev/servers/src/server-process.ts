import { spawn, type ChildProcess } from 'node:child_process';
import { guard } from './guard.ts';
import { openLog } from './log-file.ts';
import { RunningServer } from './running-server.ts';
import type { SystemUser } from './system-user.ts';

interface ServerCommand {
  file: string;
  args: readonly string[];
  log: string;
  user?: SystemUser | undefined;
  /** Variables beside the few that every server gets. */
  env?: NodeJS.ProcessEnv;
  /** The signals that ask the server to end, the gentlest first; it has ten seconds after each. */
  signals: readonly NodeJS.Signals[];
  /** A folder that the guard deletes if this process dies before it has stopped the server. */
  removeWithUs?: string | undefined;
}

/** A server in a session of its own, which Ctrl-C does not reach before our ordered stop. It never outlives this process. */
export class ServerProcess extends RunningServer {
  readonly pid: number;
  readonly ownPid: number;
  readonly exited: Promise<string>;
  readonly logStart: number;
  private ended?: string;
  private isStopped = false;
  private release: () => void;

  private constructor(
    private readonly child: ChildProcess,
    private readonly command: ServerCommand,
    logStart: number,
  ) {
    super(command.signals);
    this.pid = this.ownPid = child.pid ?? 0;
    this.logStart = logStart;
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `exit code ${code}`));
    });
    this.release = guard({ pid: this.pid, signals: command.signals, folder: command.removeWithUs });
    void this.exited.then((how) => this.over(how));
  }

  static async launch(command: ServerCommand): Promise<ServerProcess> {
    const log = await openLog(command.log);
    try {
      const { size } = await log.stat();
      const child = spawn(command.file, command.args, {
        detached: true,
        cwd: '/',
        stdio: ['ignore', log.fd, log.fd],
        env: { ...bareEnvironment(), ...command.env },
        ...command.user,
      });
      return new ServerProcess(child, command, size);
    } finally {
      await log.close();
    }
  }

  get end(): string | undefined {
    return this.ended;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.ended === undefined) this.child.kill(signal);
  }

  override async stop(): Promise<void> {
    this.isStopped = true;
    if (this.ended !== undefined) this.release();
    await super.stop();
  }

  /** Notes how the server ended. When it ended by itself, its folder still waits for `stop`, and the guard deletes it without one. */
  private over(how: string): void {
    this.ended = how;
    this.release();
    const { removeWithUs } = this.command;
    if (removeWithUs !== undefined && !this.isStopped) this.release = guard({ folder: removeWithUs });
  }
}

/** The environment of a server. It needs nothing of ours, which holds secrets and PG* settings that would change its behaviour. */
function bareEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}
