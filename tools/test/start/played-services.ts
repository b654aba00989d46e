import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@codase/servers';
import { bornAt } from '@codase/stack/processes';
import type { Unit } from '../../src/start/unit.ts';

const SERVICE = fileURLToPath(new URL('service.mjs', import.meta.url));

/** A state folder of its own, services that behave as the test says, and the story that they write. */
export class PlayedServices {
  readonly dir = mkdtempSync(join(tmpdir(), 'codase-start-'));
  readonly storyFile = join(this.dir, 'story.txt');
  readonly stateDir = join(this.dir, 'state');

  async unit(name: string, env: Record<string, string> = {}, needs: string[] = []): Promise<Unit> {
    const opsPort = await freePort();
    return { name, entry: SERVICE, opsPort, needs, env: { NAME: name, OPS_PORT: String(opsPort), STORY: this.storyFile, ...env } };
  }

  get story(): string[] {
    return existsSync(this.storyFile) ? readFileSync(this.storyFile, 'utf8').trim().split('\n') : [];
  }

  /** The lines of one service. */
  storyOf(name: string): string[] {
    return this.story.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  }

  /** The processes that ever ran. */
  get pids(): number[] {
    return this.story.flatMap((line) => / runs (\d+)$/.exec(line)?.[1] ?? []).map(Number);
  }

  /** The process that ran last under this name. */
  pidOf(name: string): number {
    return Number(
      this.storyOf(name)
        .findLast((what) => what.startsWith('runs '))
        ?.slice('runs '.length),
    );
  }

  get alive(): number[] {
    return this.pids.filter((pid) => bornAt(pid) !== undefined);
  }

  /** Leaves nothing behind, whatever the test did. */
  close(): void {
    for (const pid of this.alive) process.kill(pid, 'SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Waits until a condition holds. Throws an error that names the condition when it does not hold in time. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>, within = 280_000): Promise<void> {
  const deadline = performance.now() + within;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${within / 1000} s: ${what}`);
    await sleep(20);
  }
}
