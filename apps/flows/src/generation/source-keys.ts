import { isFileReference, readAnswer, type Answers } from '@codase/domain/flow-language';

const FIELD = 'field:';

/** Returns where the company's copy of a participant's PDF is read: with the answers, or with the files of connections. @spec D2-2.4 */
export const sourceOfKey = (source_key: string): { kind: 'answer'; slug: string } | { kind: 'connection' } =>
  source_key.startsWith(FIELD) ? { kind: 'answer', slug: source_key.slice(FIELD.length) } : { kind: 'connection' };

/** Whether a participant's PDF is an answer that was linked from a profile. @spec D2-2.2 */
export function isLinkedAnswer(answers: Answers, source_key: string): boolean {
  const source = sourceOfKey(source_key);
  if (source.kind !== 'answer' || !Object.hasOwn(answers, source.slug)) return false;
  const reference = readAnswer('binary', answers[source.slug]);
  return isFileReference(reference) && reference._link === 1;
}
