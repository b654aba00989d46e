import { Refusal } from '@cds/contracts';
import { OperatorFault } from '../operator-fault.ts';

export interface ErrorDescription {
  'error.type': string;
  'cds.error_key'?: string;
  code?: string;
  'error.message'?: string;
  frames?: string[];
}

/**
 * Describes an error as a log may hold it. A library's message can quote the data that it failed on (a JSON parser quotes the text, a
 * database the value), so a message is kept only when it is ours or the operating system's; the frames of the stack say the rest.
 */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof Refusal) return { 'error.type': error.name, 'cds.error_key': error.key, 'error.message': error.message };
  if (!(error instanceof Error)) return { 'error.type': typeof error };
  const { code, syscall } = error as NodeJS.ErrnoException;
  return {
    'error.type': error.name,
    ...(typeof code === 'string' && { code }),
    ...((syscall || error instanceof OperatorFault) && { 'error.message': error.message }),
    frames: frames(error),
  };
}

const frames = (error: Error) =>
  (error.stack ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 12);
