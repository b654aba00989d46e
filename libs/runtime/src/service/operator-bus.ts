import type { z } from 'zod';
import { Bus } from '../bus/index.ts';
import { busAddress, type prepareConfig } from '../config/index.ts';
import type { Log } from '../telemetry/index.ts';

/** Connects as the operator, does the work, and closes the connection. */
export async function withOperatorBus(config: z.output<typeof prepareConfig>, log: Log, work: (bus: Bus) => Promise<void>): Promise<void> {
  const bus = await Bus.connect({ ...busAddress(config), name: 'prepare', connectSeconds: config.CONNECT_SECONDS, log });
  try {
    await work(bus);
  } finally {
    await bus.close();
  }
}
