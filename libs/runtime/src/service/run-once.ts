import type { z } from 'zod';
import { readConfig, refuseClearText } from '../config/index.ts';
import { openLog, type Log } from '../telemetry/index.ts';
import { sentence } from './sentence.ts';
import { flushTelemetry } from './start-service.ts';

/** The body of a program that ends: reads its configuration and works. Reports by exit code and one line of the log. */
export async function runOnce<S extends z.ZodObject>(
  name: string,
  schema: S,
  work: (config: z.output<S>, log: Log) => Promise<number | void>,
): Promise<void> {
  const log = openLog(name);
  try {
    const config = readConfig(schema);
    refuseClearText(config as Parameters<typeof refuseClearText>[0]);
    const did = await work(config, log);
    log.info('done', did === undefined ? {} : { 'codase.count': did });
  } catch (error) {
    console.error(`${name} failed. ${sentence(error)}`);
    process.exitCode = 1;
  }
  await flushTelemetry();
}
