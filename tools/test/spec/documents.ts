import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../../src/command/root.ts';

/** The text of the two specification documents. */
export interface SpecDocuments {
  D1: string;
  D2: string;
}

/** Reads the documents from `$CODASE_SPEC_DIR`, or else from a folder beside the repository; undefined when they are not there. */
export function specDocuments(dir = process.env.CODASE_SPEC_DIR ?? resolve(ROOT, '../shared/spec')): SpecDocuments | undefined {
  if (!existsSync(dir)) return undefined;
  const [D1, D2] = readdirSync(dir)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => readFileSync(join(dir, name), 'utf8'));
  return D1 !== undefined && D2 !== undefined ? { D1, D2 } : undefined;
}
