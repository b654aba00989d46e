import { Runs1763164800001 } from './1763164800001-runs.ts';
import { RunStarts1763164800002 } from './1763164800002-run-starts.ts';
import { GeneratingRuns1763164800003 } from './1763164800003-generating-runs.ts';

export const FLOWS_MIGRATIONS = [Runs1763164800001, RunStarts1763164800002, GeneratingRuns1763164800003];
