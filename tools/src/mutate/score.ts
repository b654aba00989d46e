import { relative } from 'node:path';

export interface Mutant {
  fileName: string;
  location: { start: { line: number } };
  mutatorName: string;
  replacement?: string | undefined;
  status: string;
}

const DETECTED = ['Killed', 'Timeout'];
const UNDETECTED = ['Survived', 'NoCoverage'];

/** Returns the share of detected mutants among all valid ones, in percent; undefined when there are none. */
export function scoreOf(mutants: readonly Pick<Mutant, 'status'>[]): number | undefined {
  const count = (states: string[]) => mutants.filter(({ status }) => states.includes(status)).length;
  const [detected, undetected] = [count(DETECTED), count(UNDETECTED)];
  return detected + undetected ? (100 * detected) / (detected + undetected) : undefined;
}

/** Returns the mutants that no test noticed, in the order of the source: where each is, and what was changed. */
export function survivors(mutants: readonly Mutant[], root: string): string[] {
  return mutants
    .filter(({ status }) => UNDETECTED.includes(status))
    .toSorted((a, b) => a.fileName.localeCompare(b.fileName) || a.location.start.line - b.location.start.line)
    .map((mutant) => `${relative(root, mutant.fileName)}:${mutant.location.start.line}  ${describe(mutant)}`);
}

function describe({ mutatorName, replacement = '', status }: Mutant): string {
  const change = `${mutatorName} → ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`;
  return status === 'NoCoverage' ? `${change}  (no test comes here)` : change;
}

export function summary(mutants: readonly Pick<Mutant, 'status'>[]): string {
  const states = [...new Set(mutants.map(({ status }) => status))].sort();
  const counted = states.map((state) => `${mutants.filter(({ status }) => status === state).length} ${state}`).join(', ');
  return states.includes('Ignored') ? `${counted} (the ignored ones are in constants: --constants tries them)` : counted;
}

export const percent = (score: number | undefined) => (score === undefined ? 'nothing to mutate' : `${score.toFixed(1)} %`);
