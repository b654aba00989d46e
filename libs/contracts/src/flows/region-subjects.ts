import { z } from 'zod';
import { peerSubject } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { Id, Sha256, Slug, Timestamp } from '../core/text.ts';
import { PluginPass } from '../plugins/shapes.ts';
import { CustomerRun, RunStatus, RunSummary, SentTurn } from './run-shapes.ts';

const ofConnection = z.strictObject({ user_id: Id, connection_id: Id });
const one = ofConnection.extend({ run_id: Id });

/**
 * What the home region of a customer asks of the region in which a run lives, which is the company's. What is sealed travels as it is, and
 * a file in chunks that were sent before. @gap D2-4.4
 */
export const RUN_SUBJECTS = {
  /** The newest first, one more than asked for where there are more. */
  list: idempotent(
    peerSubject(
      'list_flow_runs',
      ofConnection.extend({
        limit: z.int().min(1).max(1000),
        after: z.strictObject({ at: Timestamp, id: Id }).nullable(),
        status: RunStatus.nullable(),
      }),
      z.object({ runs: z.array(z.object({ at: Timestamp, run: RunSummary })) }),
    ),
  ),
  read: idempotent(peerSubject('read_flow_run', one, CustomerRun)),
  answer: peerSubject('answer_flow_run', one.extend({ turn: SentTurn }), CustomerRun),
  /** A copy of a file answer, whose text was sent before. */
  storeFile: peerSubject(
    'store_run_file',
    one.extend({ slug: Slug, for_user_id: Id, parcel_id: Id, pieces: z.int().min(1) }),
    z.object({ file: Id }),
  ),
  /** A piece of a file that is sealed to the customer, counted from 1, and how many there are; null where there is none. */
  piece: idempotent(
    peerSubject(
      'flow_run_piece',
      one.extend({ file: Id, position: z.int().min(1) }),
      z.object({ piece: z.string().nullable(), pieces: z.int(), served_sha256: Sha256 }),
    ),
  ),
  /** A pass for the plugins of the customer's step. */
  pluginPass: idempotent(peerSubject('flow_run_pass', one, PluginPass)),
} as const;
