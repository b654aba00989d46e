import { rmSync } from 'node:fs';
import { messageOf } from '@codase/command-line';
import { lastLogLines } from './log-file.ts';
import { writePidFile } from './pid-file.ts';
import { RESTARTS, restartWhenItEnds } from './restarts.ts';
import type { OwnServer } from './stack.ts';

/** Keeps Postgres or NATS alive while the stack runs. */
export class ServerKeeper {
  private readonly stopping = new AbortController();
  private readonly keeping: Promise<void>;
  private upSince = performance.now();
  private failure: string | undefined;

  constructor(
    private readonly title: string,
    private readonly server: OwnServer,
    private readonly pidFile: string,
    private readonly say: (line: string) => void,
    restarts = RESTARTS,
  ) {
    writePidFile(pidFile, server.pid);
    const restartable = { name: title, ended: () => this.ended(), healthyFor: () => this.healthyFor(), relaunch: () => this.restart() };
    this.keeping = restartWhenItEnds(restartable, restarts, say, this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.keeping;
    await this.server.stop();
    rmSync(this.pidFile, { force: true });
  }

  kill(): void {
    this.stopping.abort();
    this.server.kill();
  }

  private async ended(): Promise<string> {
    return this.failure ?? `${this.title} died (${await this.server.exited}). ${lastLogLines(this.server.log)}`;
  }

  private healthyFor(): number {
    return this.failure === undefined ? performance.now() - this.upSince : 0;
  }

  /** A restart that fails counts as the next exit. */
  private async restart(): Promise<void> {
    try {
      await this.server.restart();
      this.failure = undefined;
      this.upSince = performance.now();
      writePidFile(this.pidFile, this.server.pid);
      this.say(`${this.title} is back${this.server.pid ? ` (process ${this.server.pid})` : ''}.`);
    } catch (error) {
      this.failure = messageOf(error);
    }
  }
}
