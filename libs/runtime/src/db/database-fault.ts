import { OperatorFault } from '../operator-fault.ts';
import { callFailure } from '../resilience/is-transient.ts';
import { tlsFault } from '../tls-fault.ts';

/** Codes of Postgres that say what to mend. */
const MENDED: Readonly<Record<string, string>> = {
  '28P01': 'refused the user or password: check DATABASE_URL and DATABASE_PASSWORD',
  '28000': 'refused the user or password: check DATABASE_URL and DATABASE_PASSWORD',
  '3D000': 'has no such database: create it and run the migrations first',
  '53300': 'has no connection left: raise its max_connections, or lower DATABASE_POOL',
  '53100': 'has no room left on its disk: give it more, or remove what it does not need',
};

/** Why a database cannot be used, in a sentence that says what to mend; undefined when the error is about something else. */
export function databaseFault(url: string, cause: unknown): OperatorFault | undefined {
  const { hostname, port } = new URL(url);
  const server = `Postgres at ${hostname}:${port || '5432'}`;
  const mend = MENDED[(cause as { code?: string } | undefined)?.code ?? ''];
  if (mend !== undefined) return new OperatorFault(`${server} ${mend}`, { cause });
  const fault = tlsFault(cause, 'DATABASE_CA');
  if (fault !== undefined) return new OperatorFault(`No connection to ${server}: ${fault}`, { cause });
  if (!callFailure(cause)) return undefined;
  return new OperatorFault(`${server} cannot be reached: see that it runs, and that this is its address`, { cause });
}
