import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@codase/command-line';
import { freePort } from '@codase/servers';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Answered } from './expressions.ts';

export interface Target {
  app: string;
  port: number;
}

const Vector = z.object({ data: z.object({ resultType: z.string(), result: z.array(z.unknown()) }) });
const Series = z.object({ value: z.tuple([z.number(), z.string()]) });
const Refused = z.object({ error: z.string() });
const Exemplars = z.object({ data: z.array(z.object({ exemplars: z.array(z.object({ labels: z.record(z.string(), z.string()) })) })) });

const EVERY_SECONDS = 2;
const STARTS_MS = 30_000;

/** A real Prometheus that scrapes a stack on this machine, with the labels that the chart's PodMonitor sets. */
export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {}

  static async start(program: string, folder: string, targets: readonly Target[]): Promise<Prometheus> {
    await mkdir(folder, { recursive: true });
    const [config, port] = [join(folder, 'prometheus.yml'), await freePort()];
    await writeFile(config, stringify(configOf(targets)));
    const listens = ['--web.listen-address', `127.0.0.1:${port}`];
    const args = ['--config.file', config, '--storage.tsdb.path', join(folder, 'data'), '--enable-feature', 'exemplar-storage', ...listens];
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (text: Buffer) => (said = (said + text).slice(-4000)));
    const prometheus = new Prometheus(child, `http://127.0.0.1:${port}`);
    for (const deadline = performance.now() + STARTS_MS; performance.now() < deadline; await sleep(100)) {
      if (child.exitCode !== null) break;
      if (await prometheus.isReady()) return prometheus;
    }
    child.kill('SIGKILL');
    throw new Fault(`Prometheus does not start: ${said.trim().split('\n').at(-1)}`);
  }

  async ask(expression: string): Promise<Answered> {
    const body = await this.get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    const refused = Refused.safeParse(body);
    if (refused.success) return { error: refused.data.error };
    const { data } = Vector.parse(body);
    return { values: data.result.map((series) => Number(Series.parse(series).value[1])) };
  }

  async tracesOf(metric: string): Promise<string[]> {
    const span = `start=${Date.now() / 1000 - 3600}&end=${Date.now() / 1000 + 60}`;
    const { data } = Exemplars.parse(await this.get(`/api/v1/query_exemplars?query=${encodeURIComponent(metric)}&${span}`));
    return data.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels['trace_id'] ?? ''));
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  private async get(path: string): Promise<unknown> {
    return (await fetch(`${this.url}${path}`)).json();
  }

  private isReady(): Promise<boolean> {
    return fetch(`${this.url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}

const configOf = (targets: readonly Target[]) => ({
  global: { scrape_interval: `${EVERY_SECONDS}s`, scrape_timeout: `${EVERY_SECONDS}s` },
  scrape_configs: [
    {
      job_name: 'codase',
      static_configs: targets.map(({ app, port }) => ({
        targets: [`127.0.0.1:${port}`],
        labels: { app, pod: `${app}-1`, namespace: 'codase' },
      })),
    },
  ],
});
