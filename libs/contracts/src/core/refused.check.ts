import type { z } from 'zod';
import { readFault } from './fails.ts';

/** What a value is refused with: the first key its shape names, `request.invalid` when it names none, undefined when it passes. */
export function refused(shape: z.ZodType, value: unknown): string | undefined {
  const { error } = shape.safeParse(value);
  return error && (error.issues.map(({ message }) => readFault(message).key).find(Boolean) ?? 'request.invalid');
}
