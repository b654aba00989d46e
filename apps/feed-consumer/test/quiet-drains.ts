import { isDeepStrictEqual } from 'node:util';
import { sql } from '@codase/runtime/db';
import { eventually } from '@codase/testing';
import type { PlayedGateway } from './played-gateway.ts';

/** Waits until drains bring nothing and write nothing: the row of the channel no longer changes. */
export const quietDrains = (gateway: Pick<PlayedGateway, 'drains'>, rows: (query: ReturnType<typeof sql>) => Promise<unknown[]>) =>
  eventually(async () => {
    const [version, drains] = [sql`select xmin::text as version from channel where drain_lease is not null`, gateway.drains];
    const before = await rows(version);
    await eventually(async () => (gateway.drains > drains + 2 ? true : undefined));
    return before.length === 1 && isDeepStrictEqual(await rows(version), before) ? true : undefined;
  });
