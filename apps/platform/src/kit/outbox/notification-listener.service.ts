import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';

/** How long a connection may take to answer that it still listens. */
const ANSWER_MS = 3000;

/** The part of a Postgres connection that is used to listen. */
interface Listener {
  end(): Promise<void>;
  on(event: 'notification', heard: (message: { channel: string; payload?: string }) => void): void;
  on(event: 'error' | 'end', ended: () => void): void;
}

/** Listens to notifications of Postgres on a connection of its own. One may be lost: the worker looks into the tables too. */
export class NotificationListener {
  private runner: QueryRunner | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly heard: Readonly<Record<string, (payload: string) => void>>,
  ) {}

  /** Starts to listen, unless it already does. Returns whether it started just now: then notifications may have been missed. */
  async listen(): Promise<boolean> {
    if (this.runner && (await stillListens(this.runner))) return false;
    const runner = this.db.createQueryRunner();
    const connection = (await runner.connect()) as Listener;
    const lost = () => {
      if (this.runner === runner) this.runner = undefined;
      void runner.release().catch(() => undefined);
    };
    connection.on('error', lost);
    connection.on('end', lost);
    connection.on('notification', ({ channel, payload }) => this.heard[channel]?.(payload ?? ''));
    this.runner = runner;
    try {
      for (const channel of Object.keys(this.heard)) await runner.query(`listen ${channel}`);
    } catch (error) {
      lost();
      throw error;
    }
    return true;
  }

  async close(): Promise<void> {
    const runner = this.runner;
    this.runner = undefined;
    if (!runner) return;
    await runner.query('unlisten *').catch(() => undefined);
    await runner.release();
  }
}

/** Whether a connection still listens. It gets a query, and is closed when it does not answer: its other end may be gone. */
async function stillListens(runner: QueryRunner): Promise<boolean> {
  const answered = runner.query('select').then(
    () => true,
    () => false,
  );
  const hears = await Promise.race([answered, pause(ANSWER_MS, false, { ref: false })]);
  if (!hears) void ((await runner.connect()) as Listener).end().catch(() => undefined);
  return hears;
}
