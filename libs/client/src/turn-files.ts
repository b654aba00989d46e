import { Refusal, runs, type GivenFile, type TakenTurn } from '@codase/contracts';
import { importValuePublicKey } from '@codase/crypto';
import { sealedFileBody, type FileToSend } from './document-body.ts';
import type { FileTransfer } from './file-transfer.ts';
import { METRICS } from './metrics.ts';

/** A file as an answer: its bytes, a Blob, which may be a file on the disk, or a stream, which is read whole. */
export type FileAnswer = Omit<FileToSend, 'bytes'> & { bytes: FileToSend['bytes'] | AsyncIterable<Uint8Array> };

/** The part of a turn that the upload of files needs. */
type FileTurn = Pick<TakenTurn, 'flow_run_id' | 'fields' | 'party_keys'>;

export const hasFiles = (answers: Readonly<Record<string, unknown>>): boolean => Object.values(answers).some(isFile);

/** Uploads a copy of each file among the answers, sealed to each party, and returns the answers with their ids. @spec D2-4.2 */
export async function uploadFiles(
  files: FileTransfer,
  turn: FileTurn,
  answers: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const given: Record<string, unknown> = { ...answers };
  const found = Object.entries(answers).flatMap(([slug, answer]): [string, FileAnswer][] => (isFile(answer) ? [[slug, answer]] : []));
  // Checks all files before the first one is sent.
  const checked: [string, FileToSend][] = [];
  for (const [slug, file] of found) checked.push([slug, await checkedFile(turn, slug, file)]);
  for (const [slug, file] of checked) given[slug] = await uploadCopies(files, turn, slug, file);
  return given;
}

/** Uploads the copies one after the other: a file may be long, and there are few parties. */
async function uploadCopies(files: FileTransfer, turn: FileTurn, slug: string, file: FileToSend): Promise<GivenFile> {
  const copies: Record<string, string> = {};
  for (const [for_user_id, public_key] of Object.entries(turn.party_keys)) {
    const recipient = await importValuePublicKey(public_key);
    const call = { contract: runs.uploadAnswerFile, params: { runId: turn.flow_run_id } };
    const body = () => sealedFileBody({ slug, for_user_id }, file, recipient);
    copies[for_user_id] = (await files.send(call, body, lengthOf(file.bytes), { metric: METRICS.flowsRetried })).file;
  }
  return { files: copies };
}

/** Checks a file against the limit of its field. No more than that is read of a stream. */
async function checkedFile({ fields }: FileTurn, slug: string, { bytes, name, type }: FileAnswer): Promise<FileToSend> {
  const most = fields.find((field) => field.slug === slug)?.file?.most_bytes;
  if (most === undefined) throw misfit(slug, 'takes no file, or is not asked now');
  const whole = bytes instanceof Uint8Array || bytes instanceof Blob ? bytes : await readWhole(bytes, most);
  if (lengthOf(whole) > most) throw new Refusal('flows.answer_file_too_large');
  if (lengthOf(whole) === 0) throw misfit(slug, 'is an empty file');
  return { bytes: whole, name, type };
}

async function readWhole(stream: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > most) throw new Refusal('flows.answer_file_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const lengthOf = (bytes: Uint8Array | Blob): number => (bytes instanceof Uint8Array ? bytes.length : bytes.size);

function isFile(answer: unknown): answer is FileAnswer {
  const { bytes, name, type } = (answer ?? {}) as Partial<Record<'bytes' | 'name' | 'type', unknown>>;
  const isStream = typeof bytes === 'object' && bytes !== null && Symbol.asyncIterator in bytes;
  return (bytes instanceof Uint8Array || bytes instanceof Blob || isStream) && typeof name === 'string' && typeof type === 'string';
}

const misfit = (slug: string, why: string) => new Refusal('flows.turn_answer_invalid', { faults: [{ slug, fault: `${slug} ${why}` }] });
