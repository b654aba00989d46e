import type { PlainKey } from './errors.ts';

/** Names the refusal a failed check answers: the message is the error key. */
export const fails = (key: PlainKey) => ({ error: key });
