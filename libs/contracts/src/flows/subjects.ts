import { z } from 'zod';
import { IDEMPOTENCY_KEY } from '../core/limits.ts';
import { subject } from '../core/subjects.ts';
import { Id, Slug, Timestamp } from '../core/text.ts';
import { RunStatus } from './run-shapes.ts';

const RunState = z.object({ flow_run_id: Id, status: RunStatus, node: z.string().nullable() });
const Targets = z.record(Slug, z.strictObject({ connection_id: Id }));

/** Starts a run with connected customers; a repeat with the same key answers the same run. @spec D2-4.1 */
export const START_RUN = subject('cds.flows.v1.{service}.start', {
  message: z.strictObject({ flow_id: Id, idempotency_key: z.string().min(1).max(IDEMPOTENCY_KEY.chars), targets: Targets }),
  reply: RunState,
});

/** The company's own answers of its step, in the clear: the flows service seals them for every party and goes on. @spec D2-4.2 */
export const ANSWER_RUN = subject('cds.flows.v1.{service}.answer', {
  message: z.strictObject({ flow_run_id: Id, node: z.string().max(64), answers: z.record(z.string().max(64), z.string()) }),
  reply: RunState,
});

/** Cancels an open run. @spec D2-4.4 */
export const CANCEL_RUN = subject('cds.flows.v1.{service}.cancel', { message: z.strictObject({ flow_run_id: Id }), reply: RunState });

/** A run awaits the company, is completed or was cancelled. @spec D2-6 */
export const RUN_MOVED = subject('cds.run.v1.{service}.{state}', {
  stream: 'RUNS',
  message: z.strictObject({ flow_run_id: Id, flow_id: Id, status: RunStatus, node: z.string().nullable(), at: Timestamp }),
});
