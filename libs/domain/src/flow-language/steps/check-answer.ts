import { isEmpty } from '../../field-types/json-values.ts';
import { validateValue } from '../../field-types/validate-value.ts';
import { readAnswer } from '../answers/read-answers.ts';
import type { Element, FieldElement } from '../definition/definition.ts';
import type { FieldTypes } from '../definition/kinds.ts';
import { isFileReference } from '../outputs/sources.ts';
import { pluginAnswerFault } from '../plugins/plugin-answer.ts';

const FILE_EXPECTED = 'A file answer must be {"_enc_file": <file>}, with "_link": 1 when it is linked';

/**
 * Returns why a value is no answer to an element. Null when it is one. An empty value is always allowed here, because `required` is checked
 * elsewhere. A field with a parent type accepts a value of a descendant, which is checked by the parent's rules. @spec D2-4.2
 */
export function answerFault(element: Element, value: unknown, fieldTypes: FieldTypes): string | null {
  if (element.kind !== 'field' && element.kind !== 'plugin') return 'This element takes no answer';
  const read = element.kind === 'plugin' ? value : readAnswer(fieldTypes.kindOf(element.type), value);
  if (isEmpty(read)) return null;
  return element.kind === 'plugin' ? pluginAnswerFault(element.plugin, read) : fieldFault(element, read, fieldTypes);
}

function fieldFault({ slug, type, options }: FieldElement, value: unknown, fieldTypes: FieldTypes): string | null {
  if (fieldTypes.kindOf(type) === 'binary') return isFileReference(value) ? null : FILE_EXPECTED;
  const verdict = validateValue(fieldTypes, type, value, options);
  return verdict.ok ? null : [slug, verdict.reason.path, verdict.reason.message].filter(Boolean).join(' ');
}
