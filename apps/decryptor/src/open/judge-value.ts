import type { Opened } from '@codase/contracts';
import { validatePlaintext, type FieldTypes } from '@codase/domain/field-types';

/** Validates a plaintext by the type of its request row. Returns nothing when no type was named. @spec D1-2.5 */
export function judged(types: FieldTypes, field_type: string | undefined, plaintext: string): Pick<Opened, 'value' | 'misfit'> {
  if (field_type === undefined) return {};
  const verdict = validatePlaintext(types, field_type, plaintext);
  return verdict.ok ? { value: verdict.normalised } : { misfit: { ...verdict.reason } };
}
