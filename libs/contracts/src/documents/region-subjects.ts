import { z } from 'zod';
import type { PersonAct } from '../core/person-act.ts';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { OneTimeKey } from '../core/sealed.ts';
import { LongText, withBytes } from '../core/subjects.ts';
import { Verification } from '../connections/subjects.ts';
import { Day, Id, Line, Sha256, Timestamp } from '../core/text.ts';
import { CompanyDocument, CopyStatus, SigningMethod } from './shapes.ts';

/** What the person says in an act: not the file, and not what the home region adds. */
const statedIn = (act: object): PersonAct['body'] =>
  Object.fromEntries(Object.entries(act).filter(([member]) => !UNSTATED.includes(member)));
const UNSTATED = ['kind', 'sent', 'signer_name_verified', 'names'];

const ofHolder = z.strictObject({ user_id: Id });
const one = ofHolder.extend({ document_id: Id });
/**
 * The PDF of an act, under a key that is used once. The PDF was sent in chunks before, so that key and file are never stored in one place.
 */
const SentFile = z.strictObject({ otk: OneTimeKey, transfer_id: Id, pieces: z.int().min(1) });

/**
 * Subjects that the home region of a document's holder asks of the region in which the document lives, which is the company's. Nothing of a
 * document is kept in the holder's region. @gap D1-1
 */
export const DOCUMENT_SUBJECTS = {
  /** The list positions of the holder's documents, the newest first. */
  positions: peerRead(
    'document_positions',
    { speaksFor: 'user_id' },
    ofHolder.extend({
      limit: z.int().min(1).max(1000),
      after: z.strictObject({ at: Timestamp, id: Id }).nullable(),
      connection_id: Id.nullable(),
      status: CopyStatus.nullable(),
    }),
    z.object({ positions: z.array(z.object({ at: Timestamp, id: Id })) }),
  ),
  read: peerRead('read_document', { speaksFor: 'user_id' }, one, CompanyDocument),
  /** A piece of the payload, counted from 1, and how many pieces there are; null when there is none. */
  piece: withBytes(
    peerRead(
      'document_piece',
      { speaksFor: 'user_id' },
      one.extend({ position: z.int().min(1) }),
      z.object({
        piece: LongText.nullable(),
        content_id: Id,
        pieces: z.int(),
        /** The digest of the answer, when the payload is sealed to the holder. */
        served_sha256: Sha256.nullable(),
        content_type: z.string().nullable(),
        content_sha256: Sha256,
      }),
    ),
    'piece',
  ),
  act: peerWrite(
    'act_on_document',
    { speaksFor: 'user_id', personAct: ({ document_id, act }) => ({ act: `${act.kind}_document`, on: document_id, body: statedIn(act) }) },
    one.extend({
      act: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('accept'), sent: SentFile.optional() }),
        z.strictObject({
          kind: z.literal('sign'),
          method: SigningMethod,
          signer_first_name: Line,
          signer_last_name: Line,
          /** False in a request: whether the name is verified is decided where the act is stored, by the attestations in `names`. */
          signer_name_verified: z.boolean(),
          /** The verifications of the signer's names, if the signer's home region has both. */
          names: z.strictObject({ first_name: Verification, last_name: Verification }).optional(),
          sent: SentFile.optional(),
        }),
        z.strictObject({ kind: z.literal('decline') }),
        z.strictObject({ kind: z.literal('cancel'), effective_date: Day.optional() }),
      ]),
    }),
    CompanyDocument,
  ),
} as const;
