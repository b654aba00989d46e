import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Memory {
  before_mb: number;
  peak_mb: number;
}

export class ProcessMemory {
  readonly seen: Record<string, Memory> = {};

  constructor(private readonly pids: Readonly<Record<string, number>>) {}

  async measure(): Promise<void> {
    const { stdout } = await run('ps', ['-o', 'pid=,rss=', '-p', Object.values(this.pids).join(',')]);
    const now = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]),
    );
    for (const [name, pid] of Object.entries(this.pids)) {
      const mb = Math.round((now.get(pid) ?? 0) / 1024);
      const { before_mb, peak_mb } = this.seen[name] ?? { before_mb: mb, peak_mb: mb };
      this.seen[name] = { before_mb, peak_mb: Math.max(peak_mb, mb) };
    }
  }

  /** Starts again: the memory at the next look becomes the value before the attack. */
  restart(): void {
    for (const name of Object.keys(this.seen)) delete this.seen[name];
  }
}
