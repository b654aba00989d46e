import { isSealed, Refusal, SEALED_CHARS, WRAPPER_FORM, type SentValue } from '@codase/contracts';
import { isEmpty, readPlaintext, validateValue, type FieldTypes } from '@codase/domain/field-types';

/** The members of a request row that decide whether an answer is accepted. @spec D1-2.6 */
export interface RequestedRow {
  service_field_id: string;
  slug: string;
  type: string;
  one_time: boolean;
  mandatory: boolean;
  audience: 'person' | 'company' | 'both';
  /** Whether the row accepts only a verified value. `verified_max_age_days` says for how many days a verification is good. */
  verified: boolean;
  verified_max_age_days?: number | undefined;
}

/** A value that is offered as an answer: a text, or a file that is already stored. */
export type Offered<File = { file_sha256: string }> = Omit<SentValue, 'value'> & { value: string | File };

/** Returns the rows of a request that ask a customer of that type. @spec D1-2.6 */
export const rowsFor = <Row extends RequestedRow>(rows: readonly Row[], type: 'person' | 'company'): Row[] =>
  rows.filter(({ audience }) => audience === 'both' || audience === type);

const invalid = (reason: string) => new Refusal('company_connections.values_invalid').because(reason);

/** Returns the row with that slug, and refuses when the service does not ask for it. */
export function rowOf<Row extends RequestedRow>(rows: readonly Row[], slug: string): Row {
  const row = rows.find((one) => one.slug === slug);
  if (!row) throw invalid(`${slug}: the service does not ask for this`);
  return row;
}

/**
 * Checks the answers one by one, in the order they came, and names the first that does not fit. A row that requires a verified value takes
 * no other. A value that is already shared stays shared when its verification is lost or grows old: then the service gets an event.
 * @spec D1-2.7 @gap D1-2.6 @gap D1-7
 */
export function checkAnswers(types: FieldTypes, rows: readonly RequestedRow[], values: readonly Offered[], now: Date): void {
  for (const value of values) {
    const row = rowOf(rows, value.slug);
    checkAnswer(types, row, value);
    if (row.verified) checkVerified(row, value.source, now);
  }
  const twice = values.find(({ slug }, nth) => values.findIndex((other) => other.slug === slug) !== nth);
  if (twice) throw invalid(`${twice.slug}: answer it once`);
}

/**
 * Refuses to connect a customer that leaves a mandatory row unanswered. Later the customer can take such an answer back like any live one,
 * as its field can be deleted: the service gets an event, and ends the connection if it must. @spec D1-2.6 @gap D1-2.6
 */
export function checkMandatory(rows: readonly RequestedRow[], values: readonly SentValue[]): void {
  const missing = rows.find(({ slug, mandatory }) => mandatory && !values.some((value) => value.slug === slug));
  if (missing) throw invalid(`${missing.slug}: the service requires it`);
}

function checkAnswer(types: FieldTypes, row: RequestedRow, { value, source_private, source }: Offered): void {
  if (source?.type === null) throw invalid(`${row.slug}: you have no field ${source.field}`);
  // A row typed with a parent takes any descendant. @spec D1-2.5
  if (source && !types.accepts(row.type, source.type)) {
    throw invalid(`${row.slug}: a field of type ${source.type} does not answer ${row.type}`);
  }
  if (typeof value === 'string') checkContent(types, row, { value, source_private });
  else if (!types.isBinary(row.type)) throw invalid(`${row.slug}: the service asks for no file here`);
}

const DAY_MS = 86_400_000;

/** Refuses a source that is not verified, whose verification is over, or was longer ago than the row allows. @gap D1-2.6 */
function checkVerified({ slug, verified_max_age_days }: RequestedRow, source: SentValue['source'], now: Date): void {
  if (!source) throw invalid(`${slug}: the service takes a verified value alone, so give the source_field it comes from`);
  const { verified_hash, verified_at, verified_expires_at } = source.verification;
  if (verified_hash === undefined || verified_at === undefined) throw invalid(`${slug}: your field ${source.field} is not verified`);
  const isOver = typeof verified_expires_at === 'string' && Date.parse(verified_expires_at) <= now.getTime();
  if (isOver) throw invalid(`${slug}: the verification of your field ${source.field} is over: verify it again`);
  const isOld = verified_max_age_days !== undefined && Date.parse(verified_at) < now.getTime() - verified_max_age_days * DAY_MS;
  if (isOld)
    throw invalid(`${slug}: your field ${source.field} was verified longer ago than ${verified_max_age_days} days: verify it again`);
}

interface Content {
  value: string;
  source_private: boolean;
}

type Row = Pick<RequestedRow, 'slug' | 'type'>;

export function checkContent(types: FieldTypes, row: Row, content: Content): void {
  const fault = faultOf(types, row.type, content);
  if (fault === 'no_file') throw invalid(`${row.slug}: this is no file in the clear; seal it, or send its envelope`);
  if (fault === 'documents.too_large')
    throw new Refusal(fault).because(`${row.slug}: must have at most ${SEALED_CHARS} characters when it is sealed`);
  if (fault) throw new Refusal(fault).because(`${row.slug}: ${WRAPPER_FORM}`);
}

/**
 * Returns why a value cannot be an answer; undefined when it can. A text is always sealed. Only a file of a source that is not private
 * comes in the clear: it is checked by the type that was asked for, whatever the type of its source, and it must not be empty. @spec D1-1
 * @spec D1-2.8 @gap D1-2.5
 */
export function faultOf(types: FieldTypes, type: string, { value, source_private }: Content): Fault | undefined {
  const isFile = types.isBinary(type);
  if (!isFile && value.length > SEALED_CHARS) return 'documents.too_large';
  if (!isFile || source_private) return isSealed(value) ? undefined : 'contact_data.encryption_required';
  const file = readPlaintext(types, type, value);
  const isThere = !isEmpty(file) && value.isWellFormed() && validateValue(types, type, file).ok;
  return isThere ? undefined : 'no_file';
}

type Fault = 'documents.too_large' | 'contact_data.encryption_required' | 'no_file';
