import { z } from 'zod';
import { Done, frontDoorSubject, ofUser, operatorSubject, peerSubject, regionSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { idempotent } from '../core/subjects.ts';
import { Id } from '../core/text.ts';

/** Asked of the front door about homes. */
export const homeSubjects = {
  /** Where a user lives; null for one that is unknown. */
  homeOf: idempotent(frontDoorSubject('home_of', ofUser, z.object({ region: Region.nullable() }))),
  /** Where some users live, each region once; of one that is unknown nothing is said. */
  homesOf: idempotent(
    frontDoorSubject('homes_of', z.strictObject({ user_ids: z.array(Id).max(1000) }), z.object({ regions: z.array(Region) })),
  ),
  /** Begins to move a company; the front door sees it through, whatever dies meanwhile. */
  beginMove: frontDoorSubject('begin_move', ofUser.extend({ to: Region }), z.object({ from: Region, to: Region })),
} as const;

/** Asked of the front door by an operator alone. */
export const regionOperatorSubjects = {
  setMode: operatorSubject(
    'set_mode',
    z.strictObject({ region: Region, writes_paused: z.boolean().optional(), out_of_order: z.boolean().optional() }),
    z.object({ region: Region, writes_paused: z.boolean(), out_of_order: z.boolean() }),
  ),
} as const;

/** What a region holds of a company: rows and a digest for each table, so that both sides can be compared. */
const Holdings = z.record(z.string(), z.object({ rows: z.int(), digest: z.string() }));
export type Holdings = z.infer<typeof Holdings>;

/**
 * Every step of a move, and every repetition of one, has a turn higher than all before it. A region that has heard a higher turn refuses
 * the lower: a message that was held up somewhere does no harm when it arrives at last.
 */
const ofMove = ofUser.extend({ turn: z.int() });
export type InTurn = z.infer<typeof ofMove>;

/** How far the rows of a company are handed over: the table, and the key of its last row that was sent. */
const CopyCursor = z.strictObject({ table: z.string(), after: z.string().nullable() });
export type CopyCursor = z.infer<typeof CopyCursor>;

/** Asked of a region by the front door, and of the new region by the old one: rows go from one to the other alone. @gap D1-5.6 */
export const moveSubjects = {
  /** The company leaves: from now on nothing new of it is begun here. */
  beginLeaving: regionSubject('begin_leaving', ofMove.extend({ to: Region }), Done),
  /** Whether what was begun before has ended and is written down; if so, nothing more of the company is written here. */
  settleLeaving: regionSubject('settle_leaving', ofMove.extend({ to: Region }), z.object({ settled: z.boolean() })),
  /** The new region forgets an earlier try. */
  beginArriving: regionSubject('begin_arriving', ofMove, Done),
  /** The old region sends the next rows, from a cursor on, and says where to go on; null when it has sent them all. */
  handOver: regionSubject(
    'hand_over',
    ofMove.extend({ to: Region, from: CopyCursor.nullable() }),
    z.object({ next: CopyCursor.nullable() }),
  ),
  /** The public key that the old region seals stored secrets to, in the rows that it sends. */
  transferKey: peerSubject('transfer_key', z.strictObject({}), z.object({ public_key: z.string() })),
  /** The new region takes rows of one table: a JSON array as the database wrote it, so that no number loses a digit on the way. */
  takeRows: peerSubject('take_rows', ofMove.extend({ table: z.string(), rows: z.string() }), Done),
  holdings: regionSubject('holdings', ofUser, Holdings),
  /** The front door has flipped: the old region forgets, then the new one opens. */
  finishLeaving: regionSubject('finish_leaving', ofMove, Done),
  finishArriving: regionSubject('finish_arriving', ofMove, Done),
  /** It did not come to pass: the old region goes on, the new one forgets. */
  stay: regionSubject('stay', ofMove, Done),
  forgetArrival: regionSubject('forget_arrival', ofMove, Done),
} as const;
