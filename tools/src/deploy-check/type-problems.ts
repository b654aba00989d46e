import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from '../command/child.ts';
import { nameOf, type Manifest } from './manifest.ts';

/** Packages of the types of custom resources, by the end of their group. */
const PACKAGES: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'keda.sh': '@kubernetes-models/keda',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
};

const OPTIONS = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2024', types: [] };

/** Returns a sentence for each object that does not fit its types. The compiler refuses unknown members of literals at any depth. */
export async function typeProblems(root: string, manifests: readonly Manifest[]): Promise<string[]> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache/manifests-')); // below the root, from where the compiler finds the types
  try {
    writeFileSync(join(folder, 'manifests.ts'), manifests.map(literal).join(''));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['manifests.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { output } = await runNode([compiler, '-p', '.'], { cwd: folder, seconds: 120 });
    return complaintsIn(output, manifests);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes two lines for each object, so that the line number of an error identifies the object. */
function literal(manifest: Manifest, i: number): string {
  const { apiVersion, kind } = manifest;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const own = Object.entries(PACKAGES).find(([ending]) => group!.endsWith(ending))?.[1];
  const from = own ? `${own}/${group}/${version}` : ['kubernetes-models', group, version].filter(Boolean).join('/');
  return `import type { I${kind} as T${i} } from '${from}';\nexport const o${i}: T${i} = ${JSON.stringify(manifest)};\n`;
}

function complaintsIn(output: string, manifests: readonly Manifest[]): string[] {
  const found = [...output.matchAll(/^manifests\.ts[(:](\d+)[,:]\d+\)?:?\s*(?:-\s*)?error (TS\d+: .*)$/gm)];
  if (found.length === 0 && /error/.test(output)) return [`The compiler says:\n${output}`];
  return found.map(([, line, message]) => `${nameOf(manifests[Math.floor((Number(line) - 1) / 2)]!)}: ${message}`);
}
