import type { z } from 'zod';
import { readFault } from './fails.ts';

/** Returns the key with which a value is refused: the first that its shape names, or `request.invalid`; undefined when it passes. */
export function refused(shape: z.ZodType, value: unknown): string | undefined {
  const { error } = shape.safeParse(value);
  return error && (error.issues.map(({ message }) => readFault(message).key).find(Boolean) ?? 'request.invalid');
}
