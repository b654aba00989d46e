import {
  isSealed,
  Refusal,
  SEALED_CHARS,
  UPLOAD_CHARS,
  WRAPPER_FORM,
  type ContactValue,
  type Input,
  type contactData,
} from '@codase/contracts';
import { readPlaintext, validateValue, type FieldTypes } from '@codase/domain/field-types';
import type { z } from 'zod';
import type { faultOf, SourceRow } from '../../connections/index.ts';
import type { ContactField } from '../../../services/registry/index.ts';

export type NewContactValue = Input<typeof contactData.putContactData>['body'];

/** The most characters of all values of a profile together, since the list of all values is one answer. @gap D1-8 */
export const PROFILE_CHARS = 2 * UPLOAD_CHARS;
/** The most characters of a company's value: when the company moves, it fits into a message, with quotes escaped. @gap D1-5.6 */
export const COMPANY_VALUE_CHARS = 384 * 1024;

/** Checks a new value: a private one must be sealed to its owner, any other must fit its type. @spec D1-2.5 @gap D1-5.8 */
export function checkValue(types: FieldTypes, { type, options }: ContactField, { value, is_private }: NewContactValue): void {
  if (is_private) {
    if (!isSealed(value)) throw plaintext('value');
    return;
  }
  const verdict = validateValue(types, type, readPlaintext(types, type, value), options ?? undefined);
  if (!verdict.ok)
    throw new Refusal('contact_data.value_invalid').because(
      `${['value', verdict.reason.path].filter(Boolean).join('.')}: ${verdict.reason.message}`,
    );
}

/** A live slot that follows the field. */
type Follower = Slot & { type: string };
type Slot = Record<'connection_id' | 'slug', string>;
const isSameSlot = (one: Slot, other: Slot): boolean => one.connection_id === other.connection_id && one.slug === other.slug;

const plaintext = (member: string) => new Refusal('contact_data.encryption_required').because(`${member}: ${WRAPPER_FORM}`);
const tooLong = (member: string) =>
  new Refusal('documents.too_large').because(`${member}: must have at most ${SEALED_CHARS} characters when it is sealed`);
const invalid = (reason: string) => new Refusal('request.invalid').because(`copies: ${reason}`);

/** The field types and the function that decide whether a copy can be an answer. */
interface Judges {
  types: FieldTypes;
  faultOf: typeof faultOf;
}

/** Checks that there is one copy for each slot that follows the field: all change, or nothing does. @spec D1-6.1 @gap D1-6.1 */
export function checkCopies(judges: Judges, followers: readonly Follower[], given: NewContactValue): void {
  for (const copy of given.copies) checkFollowed(followers, given.copies, copy);
  for (const follower of followers) {
    const { slug, connection_id } = follower;
    const copy = given.copies.find((one) => isSameSlot(one, follower));
    if (!copy) throw invalid(`${slug} of ${connection_id} follows this field, so seal the value for it too`);
    checkCopy(judges, follower, copy.value, given);
  }
}

/** Checks that the slot could be answered with the copy. A file in the clear is copied as it is. @spec D1-2.8 */
function checkCopy({ types, faultOf }: Judges, { slug, type }: Follower, copy: string, { value, is_private }: NewContactValue): void {
  const fault = faultOf(types, type, { value: copy, source_private: is_private });
  if (fault === 'no_file') throw new Refusal('contact_data.value_invalid').because(`${slug} follows this file: delete it instead`);
  if (fault === 'documents.too_large') throw tooLong(`copies: ${slug}`);
  if (fault) throw plaintext(`copies: ${slug}`);
  if (types.isBinary(type) && !is_private && copy !== value) throw plaintext(`copies: ${slug}`);
}

function checkFollowed(followers: readonly Follower[], copies: readonly Slot[], copy: Slot): void {
  const { connection_id, slug } = copy;
  if (!followers.some((follower) => follower.connection_id === connection_id)) throw new Refusal('company_data.connection_not_found');
  if (!followers.some((follower) => isSameSlot(follower, copy))) throw invalid(`${slug} of ${connection_id} does not follow this field`);
  if (copies.filter((other) => isSameSlot(other, copy)).length > 1) throw invalid(`${slug} of ${connection_id} is given twice`);
}

/** A value as its owner reads it. */
export const presentContactValue = ({ slug, value, is_private, updated_at, verification }: SourceRow): z.infer<typeof ContactValue> => ({
  slug,
  value,
  is_private,
  updated_at: updated_at.toISOString(),
  ...verification,
});
