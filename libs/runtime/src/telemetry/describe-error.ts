import { Refusal } from '@codase/contracts';
import { OperatorFault } from '../operator-fault.ts';

export interface ErrorDescription {
  'error.type': string;
  'codase.error_key'?: string;
  code?: string;
  'error.message'?: string;
  frames?: string[];
}

/**
 * Describes an error as a log may hold it. A library's message can quote the data that it failed on (a JSON parser quotes the text, a
 * database the value), so a message is kept only when it is ours or the operating system's; the frames of the stack say the rest.
 */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof Refusal) return { 'error.type': error.name, 'codase.error_key': error.key, 'error.message': error.message };
  if (!(error instanceof Error)) return { 'error.type': typeof error };
  const { code, syscall } = error as NodeJS.ErrnoException;
  return {
    'error.type': error.name,
    ...(typeof code === 'string' && { code }),
    ...((syscall || error instanceof OperatorFault) && { 'error.message': error.message }),
    frames: frames(error),
  };
}

/**
 * Returns the first frames of the error's stack. The stack begins with the message, whose lines may hold anything, so the message is cut
 * off first. The stack may also begin with an earlier message, which is not known any more: so only lines that name a place in code are
 * kept.
 */
function frames(error: Error): string[] {
  const [stack, message] = [String(error.stack ?? ''), String(error.message)];
  const at = stack.indexOf(message);
  return stack
    .slice(at < 0 ? 0 : at + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, 12)
    .map((line) => line.trim());
}

/** A file or module with line and column, and the places that V8 names without them. */
const FRAME =
  /^ {4}at (?:[^(]* \()?(?:async )?(?:(?:file:\/\/|node:|\/|[A-Z]:\\|eval at ).*:\d+:\d+|<anonymous>|native|Promise\.\w+ \(index \d+)\)?$/;
