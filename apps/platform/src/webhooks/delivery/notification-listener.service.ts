import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';

/** How long a connection has to say that it still hears. */
const ANSWER_MS = 3000;

/** The part of a Postgres connection that hears. */
interface Listener {
  end(): Promise<void>;
  on(event: 'notification', heard: (message: { channel: string; payload?: string }) => void): void;
  on(event: 'error' | 'end', ended: () => void): void;
}

/**
 * Hears what the database says, on a connection of its own. A hint that is lost loses nothing: everybody who hears also looks by themselves.
 */
export class NotificationListener {
  private runner: QueryRunner | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly heard: Readonly<Record<string, (payload: string) => void>>,
  ) {}

  /** Listens, if it does not already. Answers whether it began just now: then something may have been missed. */
  async listen(): Promise<boolean> {
    if (this.runner && (await stillHears(this.runner))) return false;
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

/** A connection whose other end went without a word hears nothing, and does not know it: it is asked, and cut where it does not answer. */
async function stillHears(runner: QueryRunner): Promise<boolean> {
  const answered = runner.query('select').then(
    () => true,
    () => false,
  );
  const hears = await Promise.race([answered, pause(ANSWER_MS, false, { ref: false })]);
  if (!hears) void ((await runner.connect()) as Listener).end().catch(() => undefined);
  return hears;
}
