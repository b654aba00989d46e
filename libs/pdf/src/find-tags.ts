import { findTagged } from './fill/find-tagged.ts';
import type { PdfLimits } from './limits.ts';

/** Returns the value tags of a PDF (`{{slug}}`), each once, in the order of its pages: exactly those that `fill` fills. @spec D2-4.3.6 */
export const findTags = (pdf: Buffer, limits: Partial<PdfLimits> = {}): string[] => [...findTagged(pdf, limits).tags];
