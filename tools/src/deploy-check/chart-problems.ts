import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestsIn, type Manifest } from './manifest.ts';
import type { Program } from './programs.ts';
import { REACH, REACH_WITH_EVERYTHING, reachProblems } from './reach.ts';
import { ruleProblems } from './rule-problems.ts';
import { typeProblems } from './type-problems.ts';

const CHART = 'deploy/chart';

/** Values that are rendered, each on top of a preset: a plane, and files of `ci`. */
interface Rendering {
  name: string;
  plane: string;
  files: readonly string[];
}

/** The presets as they are, and each with everything that can be switched on. A quick look takes the latter alone. */
function renderings({ isQuick }: { isQuick: boolean }): Rendering[] {
  return Object.keys(REACH).flatMap((plane) => [
    ...(isQuick ? [] : [{ name: plane, plane, files: [] }]),
    { name: `${plane}, everything on`, plane, files: [`ci/${plane}.yaml`] },
  ]);
}

/** What is wrong with what the chart renders, each as a sentence. */
export async function chartProblems(root: string, helm: Program, { isQuick }: { isQuick: boolean }): Promise<string[]> {
  const [problems, all]: [string[], Manifest[]] = [[], []];
  for (const { name, plane, files } of renderings({ isQuick })) {
    const { ok, said } = await render(root, helm, [`presets/${plane}.yaml`, ...files]);
    if (!ok) {
      problems.push(`${name}: helm does not render it: ${said}`);
      continue;
    }
    const manifests = manifestsIn(said);
    all.push(...manifests);
    const table = (files.length > 0 ? REACH_WITH_EVERYTHING : REACH)[plane]!;
    problems.push(...[...ruleProblems(manifests), ...reachProblems(manifests, table)].map((sentence) => `${name}: ${sentence}`));
  }
  problems.push(...(await typeProblems(root, all)));
  if (!isQuick) problems.push(...(await refusalProblems(root, helm)));
  return problems;
}

/** Each file of `ci/bad` says in its first line what helm is to say: `# refused: …`. It names its preset in the second. */
async function refusalProblems(root: string, helm: Program): Promise<string[]> {
  const folder = join(root, CHART, 'ci/bad');
  const problems: string[] = [];
  for (const file of readdirSync(folder).toSorted()) {
    const [, sentence, preset] = /^# refused: (.+)\n# preset: (\w+)\n/.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    if (!sentence) problems.push(`ci/bad/${file} must begin with "# refused: …" and "# preset: …".`);
    else {
      const { ok, said } = await render(root, helm, [`presets/${preset}.yaml`, `ci/bad/${file}`]);
      if (ok) problems.push(`ci/bad/${file} is rendered, and must be refused: ${sentence}`);
      else if (!said.includes(sentence)) problems.push(`ci/bad/${file} is refused with "${said.trim()}" in place of: ${sentence}`);
    }
  }
  return problems;
}

const render = (root: string, helm: Program, files: readonly string[]) =>
  helm.run(['template', 'cds', CHART, '--namespace', 'cds', ...files.flatMap((file) => ['--values', `${CHART}/${file}`])], root);
