import type { Migration } from '@cds/runtime/db';

/** It has no tables of its own yet. */
export const FLOWS_MIGRATIONS: readonly Migration[] = [];
