import { createRequire } from 'node:module';
import type Pg from 'pg';

/** Required, not imported, because the tracing hook sees only what is required. */
export const pg = createRequire(import.meta.url)('pg') as typeof Pg;
