import { z } from 'zod';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { Done, frontDoorSubject, ofUser, operatorSubject, regionSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { idempotent } from '../core/subjects.ts';
import { Id } from '../core/text.ts';

/** Subjects about home regions, which the front door answers. */
export const homeSubjects = {
  /** The home region of a user; null for an unknown user. */
  homeOf: idempotent(frontDoorSubject('home_of', ofUser, z.object({ region: Region.nullable() }))),
  /** The home regions of some users, each region once. Unknown users are left out. */
  homesOf: idempotent(
    frontDoorSubject('homes_of', z.strictObject({ user_ids: z.array(Id).max(1000) }), z.object({ regions: z.array(Region) })),
  ),
  /** Begins to move a company. The front door completes the move, whichever process fails meanwhile. */
  beginMove: frontDoorSubject('begin_move', ofUser.extend({ to: Region }), z.object({ from: Region, to: Region })),
} as const;

/** Subjects that only an operator asks, and the front door answers. */
export const regionOperatorSubjects = {
  setMode: operatorSubject(
    'set_mode',
    z.strictObject({ region: Region, writes_paused: z.boolean().optional(), out_of_order: z.boolean().optional() }),
    z.object({ region: Region, writes_paused: z.boolean(), out_of_order: z.boolean() }),
  ),
} as const;

/** What a region has of a company: rows and a digest for each table, so that both regions can be compared. */
const Holdings = z.record(z.string(), z.object({ rows: z.int(), digest: z.string() }));
export type Holdings = z.infer<typeof Holdings>;

/**
 * Every step of a move, and every repeat of a step, has a higher turn than all before it. A region that has received a higher turn refuses
 * a lower one, so that a delayed message does no harm when it arrives.
 */
const ofMove = ofUser.extend({ turn: z.int() });
export type InTurn = z.infer<typeof ofMove>;

/** How far the rows of a company are handed over: the table, and the key of the last row that was sent. */
const CopyCursor = z.strictObject({ table: z.string(), after: z.string().nullable() });
export type CopyCursor = z.infer<typeof CopyCursor>;

/**
 * Subjects that the front door asks of a region, and the old region asks of the new one: rows go only from the old one to the new one.
 * @gap D1-5.6
 */
export const moveSubjects = {
  /** The company leaves: from now on nothing new of it is begun here. */
  beginLeaving: regionSubject('begin_leaving', ofMove.extend({ to: Region }), Done),
  /** Whether all work that was begun before has ended and is stored. If so, nothing more of the company is written here. */
  settleLeaving: regionSubject('settle_leaving', ofMove.extend({ to: Region }), z.object({ settled: z.boolean() })),
  /** The new region forgets an earlier attempt. */
  beginArriving: regionSubject('begin_arriving', ofMove, Done),
  /** The old region sends the next rows, starting at a cursor, and answers where to go on; null when it has sent them all. */
  handOver: regionSubject(
    'hand_over',
    ofMove.extend({ to: Region, from: CopyCursor.nullable() }),
    z.object({ next: CopyCursor.nullable() }),
  ),
  /** The public key that the old region seals stored secrets to, in the rows that it sends. */
  transferKey: peerRead(
    'transfer_key',
    { speaksFor: { nobody: 'the key is public' } },
    z.strictObject({}),
    z.object({ public_key: z.string() }),
  ),
  /** The new region stores rows of one table: a JSON array as the database wrote it, so that no number loses a digit on the way. */
  takeRows: peerWrite('take_rows', { speaksFor: 'user_id' }, ofMove.extend({ table: z.string(), rows: z.string() }), Done),
  /** The digest of one table, or of all. A table of a large company takes long to read, so the tables are asked for one by one. */
  holdings: regionSubject('holdings', ofUser.extend({ table: z.string().max(64).optional() }), Holdings),
  /**
   * The front door has switched the home region: the new region, which has all rows, is read from now on, the old one forgets the company,
   * and then the new one opens for writes.
   */
  completeArriving: regionSubject('complete_arriving', ofMove, Done),
  finishLeaving: regionSubject('finish_leaving', ofMove, Done),
  finishArriving: regionSubject('finish_arriving', ofMove, Done),
  /** The move was given up: the old region goes on, the new one forgets the company. */
  stay: regionSubject('stay', ofMove, Done),
  forgetArrival: regionSubject('forget_arrival', ofMove, Done),
} as const;
