import type { Definition } from './definition.ts';

/** The shape of the file endpoint's answer: ciphertext in JSON, an envelope in JSON, or the bytes themselves. @spec D1-2.8 */
export type BinaryAnswerShape = 'sealed' | 'envelope' | 'raw';

/** Returns the shape of a binary answer, by its type and whether its source is private. @spec D1-2.8 */
export function binaryAnswerShape({ input, entries }: Definition, isPrivate: boolean): BinaryAnswerShape {
  if (isPrivate) return 'sealed';
  return input === 'pages' || entries.length > 0 ? 'envelope' : 'raw';
}
