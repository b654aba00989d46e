import { Done, operatorSubject } from '../core/platform-subjects.ts';
import { FieldTypeRow } from './shapes.ts';

/** Subjects that only an operator asks, and the front door answers. */
export const registryOperatorSubjects = {
  /** Adds a field type, or replaces one of the operator's own. @spec D1-2.5 */
  putFieldType: operatorSubject('put_field_type', FieldTypeRow, Done),
} as const;
