import type { CompanyDocument } from '@cds/contracts';
import { hook } from '../hooks.ts';
import type { Act, ActOptions } from './act.ts';
import type { RunDocument } from './document-row.ts';

/** Performs acts on documents of runs: an act there moves the signing line of the run. @spec D2-3 */
export interface RunActs {
  /** Returns the document after the act; undefined when the run is over, so that the document is one like any other. */
  act(document: RunDocument, act: Act, options: ActOptions): Promise<CompanyDocument | undefined>;
}

export const RUN_ACTS = hook<RunActs>('run acts');
