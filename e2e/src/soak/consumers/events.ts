import { subject } from '@codase/contracts';
import { z } from 'zod';

/** Numbered events of a few keys. The numbers alone show what arrived, how often and in what order. */
export const SOAK_EVENT = subject('soak.v1.{key}', { stream: 'SOAK', message: z.object({ id: z.string(), key: z.string(), n: z.int() }) });
export const CONSUMER = 'soak';
export const KEYS = ['a', 'b', 'c', 'd'] as const;
