import type { CompanyDocument } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { hook } from '../../kit/hooks.ts';
import type { Act, ActOptions } from './act.ts';
import type { RunDocument } from './document-row.ts';

/** Knows the runs that documents come from. An act on a document of a run moves its signing line. @spec D2-3 */
export interface RunActs {
  /** Returns the document after the act; undefined when the run is over, so that the document is one like any other. */
  act(document: RunDocument, act: Act, options: ActOptions): Promise<CompanyDocument | undefined>;
  /** Whether the run is still open. A run that is over stays over, so the answer needs no lock. */
  isOpen(db: Db, run_id: string): Promise<boolean>;
}

export const RUN_ACTS = hook<RunActs>('run acts');
