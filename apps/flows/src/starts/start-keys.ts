import { createHash } from 'node:crypto';
import type { RunToStart } from '@cds/contracts';

const digest = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Two internal services may choose the same key and must not get each other's run, so the platform's key is made of both. */
export const startKey = (asker: string, { idempotency_key }: Pick<RunToStart, 'idempotency_key'>): string =>
  digest([asker, idempotency_key]);

/** Tells whether a repeat says the same. */
export const bodyDigest = ({ flow_id, flow_name, target, targets = {}, bindings = {} }: Omit<RunToStart, 'idempotency_key'>): string =>
  digest([flow_id ?? ['name', flow_name], target?.connection_id ?? null, sorted(targets), sorted(bindings)]);

const sorted = (members: object): [string, unknown][] => Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1));
