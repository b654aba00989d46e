import { createHash } from 'node:crypto';
import type { RunToStart } from '@codase/contracts';

const digest = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Returns the key for the platform, made of the caller and its key: no service gets the run of another that chose the same key. */
export const startKey = (asker: string, { idempotency_key }: Pick<RunToStart, 'idempotency_key'>): string =>
  digest([asker, idempotency_key]);

/** Returns a digest of the request, which shows whether a repeat is the same. */
export const bodyDigest = ({ flow_id, flow_name, target, targets = {}, bindings = {} }: Omit<RunToStart, 'idempotency_key'>): string =>
  digest([flow_id ?? ['name', flow_name], target?.connection_id ?? null, sorted(targets), sorted(bindings)]);

const sorted = (members: object): [string, unknown][] => Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1));
