import { z } from 'zod';
import { PIECE_CHARS } from '../connections/subjects.ts';
import { statedBody, type PersonAct } from '../core/person-act.ts';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { Done } from '../core/platform-subjects.ts';
import { idempotent, LongText, withBytes } from '../core/subjects.ts';
import { Id, Sha256, Slug, Timestamp } from '../core/text.ts';
import { PluginPass } from '../plugins/shapes.ts';
import {
  CustomerRun,
  CustomerTurn,
  Generated,
  Generation,
  RunStatus,
  RunSummary,
  SentTurn,
  SourceKey,
  type SentAnswer,
} from './run-shapes.ts';

const ofConnection = z.strictObject({ user_id: Id, connection_id: Id });
const one = ofConnection.extend({ run_id: Id });

/** A content whose pieces were sent before: how many pieces there are, how long it is, and the digest of the answer to its reader. */
const SentContent = z.strictObject({ file: Id, pieces: z.int().min(1), chars: z.int().min(1), served_sha256: Sha256 });

/** A piece of a content. The piece is null when there is none. */
const Piece = z.object({ piece: LongText.nullable(), pieces: z.int(), served_sha256: Sha256 });

/** An answer as the customer states it: without the verification, which the home region adds. */
function given(answer: SentAnswer) {
  const { verification: _, ...stated } = answer;
  return stated;
}

function answered({ run_id, turn: { answers, ...onward } }: { run_id: string; turn: SentTurn }): PersonAct {
  return { act: 'answer_customer_run', on: run_id, body: statedBody(CustomerTurn, { answers: answers.map(given), ...onward }) };
}

/**
 * Subjects that the home region of a customer asks of the region in which a run lives, which is the company's. Sealed data travels as it
 * is, and a file in pieces that were sent before. @gap D2-4.4
 */
export const RUN_SUBJECTS = {
  /** The runs, the newest first, with one more than the limit when there are more. */
  list: idempotent(
    peerRead(
      'list_flow_runs',
      { speaksFor: 'user_id' },
      ofConnection.extend({
        limit: z.int().min(1).max(1000),
        after: z.strictObject({ at: Timestamp, id: Id }).nullable(),
        status: RunStatus.nullable(),
      }),
      z.object({ runs: z.array(z.object({ at: Timestamp, run: RunSummary })) }),
    ),
  ),
  read: idempotent(peerRead('read_flow_run', { speaksFor: 'user_id' }, one, CustomerRun)),
  answer: peerWrite('answer_flow_run', { speaksFor: 'user_id', personAct: answered }, one.extend({ turn: SentTurn }), CustomerRun),
  /** Stores a copy of a file answer, whose pieces were sent before by `storePiece`. A repeat finds it stored already. */
  storeFile: idempotent(
    peerWrite(
      'store_run_file',
      { speaksFor: 'user_id' },
      one.extend({ slug: Slug, for_user_id: Id, content: SentContent }),
      z.object({ file: Id }),
    ),
    'in_turn',
  ),
  /**
   * Where a file is stored that is sealed to the customer: null when it is stored with the run, otherwise the customer whose file it was.
   */
  file: idempotent(
    peerRead('flow_run_file', { speaksFor: 'user_id' }, one.extend({ file: Id }), z.object({ source_user_id: Id.nullable() })),
  ),
  /** A piece of such a file that is stored with the run, counted from 1. */
  piece: idempotent(
    withBytes(peerRead('flow_run_piece', { speaksFor: 'user_id' }, one.extend({ file: Id, position: z.int().min(1) }), Piece), 'piece'),
  ),
  /** A piece of an image that steps show, counted from 1. */
  image: idempotent(
    peerRead(
      'flow_run_image',
      { speaksFor: 'user_id' },
      one.extend({ asset_key: Id, position: z.int().min(1) }),
      z.object({ content_type: z.string(), piece: z.base64(), pieces: z.int() }),
    ),
  ),
  /** Stores a PDF for the next generation, under its one-time key. Its pieces were sent before by `storePiece`. */
  storeInput: idempotent(
    peerWrite(
      'store_generation_input',
      { speaksFor: 'user_id' },
      one.extend({ source_key: SourceKey, content: SentContent }),
      z.object({ input: Id }),
    ),
    'in_turn',
  ),
  /** Generates the documents of the run. A repeat answers the documents that were generated. */
  generate: idempotent(
    peerWrite('generate_run_documents', { speaksFor: 'user_id' }, one.extend({ generation: Generation }), Generated),
    'costly',
  ),
  /** A pass for the plugins of the customer's step. */
  pluginPass: idempotent(peerRead('flow_run_pass', { speaksFor: 'user_id' }, one, PluginPass)),
} as const;

const ofContent = z.strictObject({ owner_user_id: Id, file: Id });

/**
 * Subjects that regions ask each other about the contents of files. Each content is stored with its owner, and the file may be in another
 * region. @spec D2-4.1
 */
export const RUN_CONTENT_SUBJECTS = {
  /** Stores a piece of a content that is being sent, counted from 1. */
  storePiece: idempotent(
    peerWrite(
      'store_run_piece',
      { speaksFor: { nobody: 'nothing refers to a piece until a request for a user names its file' } },
      ofContent.extend({ company_user_id: Id, position: z.int().min(1), piece: z.string().max(PIECE_CHARS) }),
      Done,
    ),
  ),
  /** All pieces of a copy of a source have come, and a file will refer to the copy. */
  keep: idempotent(
    peerWrite(
      'keep_run_content',
      { speaksFor: { nobody: 'the owner is at home in the region that answers; nothing refers to the file until its company has it' } },
      ofContent.extend({ content: SentContent }),
      Done,
    ),
  ),
  piece: idempotent(
    withBytes(
      peerRead(
        'run_content_piece',
        { speaksFor: { nobody: 'the owner is at home in the region that answers; the piece is sealed' } },
        ofContent.extend({ position: z.int().min(1) }),
        Piece,
      ),
      'piece',
    ),
  ),
  /** Nothing refers to these contents any more. Answers the contents whose owner does not live there. */
  release: idempotent(
    peerWrite(
      'release_run_contents',
      { speaksFor: { nobody: 'the owners are at home in the region that answers' } },
      z.strictObject({ contents: z.array(ofContent).max(1000) }),
      z.object({ elsewhere: z.array(Id) }),
    ),
  ),
  /** Which of these files the company still has. */
  storedFiles: idempotent(
    peerRead(
      'held_run_files',
      { speaksFor: { nobody: 'it asks which of its own files a region may delete' } },
      z.strictObject({ company_user_id: Id, files: z.array(Id).max(1000) }),
      z.object({ held: z.array(Id) }),
    ),
  ),
} as const;

/**
 * Sent by the region of a company to the home region of a customer: reads what the customer has linked to a field of a flow. Null when the
 * customer has no connection to the company. @spec D2-4.2
 */
export const LINKED_FIELD = idempotent(
  peerRead(
    'read_linked_field',
    { speaksFor: 'company_user_id' },
    z.strictObject({ company_user_id: Id, user_id: Id, field: Slug, position: z.int().min(1) }),
    /** Null when the customer has no such value. Without a piece when the value is sealed to the customer only. */
    z.object({ is_private: z.boolean(), piece: z.string(), pieces: z.int(), updated_at: Timestamp }).nullable(),
  ),
);

/**
 * Sent by the region of a company to the home region of a customer: reads the language of the customer's profile, by which rules of
 * documents are chosen. Null when the customer does not live there. @spec D2-4.3
 */
export const PROFILE_LANGUAGE = idempotent(
  peerRead(
    'read_profile_language',
    { speaksFor: { nobody: 'the customer is at home in the region that answers' } },
    z.strictObject({ user_id: Id }),
    z.object({ language: z.string().nullable() }),
  ),
);
