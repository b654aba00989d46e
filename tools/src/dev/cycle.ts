import { join, relative } from 'node:path';
import { Fault } from '@codase/command-line';
import type { Supervisor } from '../start/supervisor.ts';
import type { Stoppable } from '../start/teardown.ts';
import { BuildFault } from '../../build.mjs';
import { Bursts, type Burst } from './bursts.ts';
import { isSource, projectOf, type Project } from './projects.ts';
import { SourceWatch } from './source-watch.ts';
import type { WatchedUnit } from './watched.ts';

/** A watched service that has work in hand gets a little longer than it gives itself. Then it is killed. */
const LEAVE_MS = 1500;

interface CycleContext {
  root: string;
  supervisor: Pick<Supervisor, 'prepare' | 'restart'>;
  build(projects: readonly string[]): Promise<void>;
  say(line: string): void;
}

/** Watches the sources of services, and builds and restarts what a change concerns. */
export class DevCycle implements Stoppable {
  readonly name = 'watch';
  private readonly projects: readonly Project[];
  private readonly bursts: Bursts;
  private readonly watch: SourceWatch;
  /** The files that changed and are not built yet, because they or files beside them do not build. */
  private unbuilt: readonly string[] = [];

  constructor(
    private readonly services: readonly WatchedUnit[],
    private readonly context: CycleContext,
  ) {
    this.projects = [...new Set(services.flatMap(({ builtFrom }) => builtFrom))];
    this.bursts = new Bursts((burst) => this.follow(burst));
    const folders = this.projects.map(({ folder }) => join(context.root, folder, 'src'));
    this.watch = new SourceWatch(folders, (path) => {
      const file = relative(context.root, path);
      if (isSource(file)) this.bursts.add(file);
    });
  }

  async stop(): Promise<void> {
    this.watch.close();
    await this.bursts.close();
  }

  kill(): void {
    this.watch.close();
  }

  private async follow({ files, since, superseded }: Burst): Promise<void> {
    const changed = [...new Set([...this.unbuilt, ...files])];
    const projects = [...new Set(changed.flatMap((file) => projectOf(file, this.projects) ?? []))];
    const concerned = this.services.filter(({ builtFrom }) => builtFrom.some((project) => projects.includes(project)));
    this.unbuilt = changed;
    const startedAt = performance.now();
    try {
      await this.context.build(projects.map(({ folder }) => folder));
    } catch (error) {
      return this.context.say(unbuiltReport(concerned, error));
    }
    this.unbuilt = [];
    const built = `${inWords(changed)} changed; built in ${elapsed(startedAt)} ms`;
    await Promise.all(concerned.map((service) => this.restart(service, built, since, superseded)));
  }

  private async restart({ unit: { name } }: WatchedUnit, built: string, since: number, superseded: AbortSignal): Promise<void> {
    const { supervisor, say } = this.context;
    try {
      await supervisor.prepare(name, superseded);
    } catch (error) {
      return say(`${name}: ${built}, but it cannot be loaded, so it is not restarted. ${faultOf(error)}`);
    }
    try {
      if (!superseded.aborted) await supervisor.restart(name, LEAVE_MS, superseded);
      say(`${name}: ${built}, ${superseded.aborted ? 'changed again before it was ready' : `ready after ${elapsed(since)} ms`}.`);
    } catch (error) {
      say(`${name}: ${built}, but it does not start. ${faultOf(error)}\n${name} stays down until the next change of its sources.`);
    }
  }
}

function faultOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  throw error;
}

function unbuiltReport(services: readonly WatchedUnit[], error: unknown): string {
  if (!(error instanceof BuildFault)) throw error;
  const names = services.map(({ unit }) => unit.name).join(', ');
  return `${error.message.trim()}\nnot built, so not restarted: ${names}. Mend the source and save it; until then the old code runs.`;
}

const MAX_NAMED = 3;

function inWords(files: readonly string[]): string {
  if (files.length <= MAX_NAMED) return files.join(', ');
  return `${files.slice(0, MAX_NAMED).join(', ')} and ${files.length - MAX_NAMED} more`;
}

const elapsed = (since: number): number => Math.round(performance.now() - since);
