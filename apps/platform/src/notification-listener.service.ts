import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';

/** How long a connection has to answer that it still listens. */
const ANSWER_MS = 3000;

/** What of a Postgres connection is used to listen. */
interface Listener {
  end(): Promise<void>;
  on(event: 'notification', heard: (message: { channel: string; payload?: string }) => void): void;
  on(event: 'error' | 'end', ended: () => void): void;
}

/**
 * Listens to notifications of Postgres, on a connection of its own. One that is lost loses nothing: who listens also looks from time to
 * time.
 */
export class NotificationListener {
  private runner: QueryRunner | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly heard: Readonly<Record<string, (payload: string) => void>>,
  ) {}

  /** Listens, if it does not already. Answers whether it began just now: then something may have been missed. */
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

/**
 * A connection whose other end is gone without notice hears nothing and does not know it: it is asked, and closed when it does not answer.
 */
async function stillListens(runner: QueryRunner): Promise<boolean> {
  const answered = runner.query('select').then(
    () => true,
    () => false,
  );
  const hears = await Promise.race([answered, pause(ANSWER_MS, false, { ref: false })]);
  if (!hears) void ((await runner.connect()) as Listener).end().catch(() => undefined);
  return hears;
}
