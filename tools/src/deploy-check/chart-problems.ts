import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestsIn, type Manifest } from './manifest.ts';
import type { Program } from './programs.ts';
import { REACH, REACH_WITH_EVERYTHING, reachProblems } from './reach.ts';
import { ruleProblems } from './rule-problems.ts';
import { typeProblems } from './type-problems.ts';

const CHART = 'deploy/chart';

/** One rendering of the chart: the preset of a plane, with files of `ci` on top. */
interface Rendering {
  name: string;
  plane: string;
  files: readonly string[];
}

/** Returns each preset as it is, and each with everything that can be switched on. A quick check takes the latter alone. */
function renderings({ isQuick }: { isQuick: boolean }): Rendering[] {
  return Object.keys(REACH).flatMap((plane) => [
    ...(isQuick ? [] : [{ name: plane, plane, files: [] }]),
    { name: `${plane}, everything on`, plane, files: [`ci/${plane}.yaml`] },
  ]);
}

/** Returns a sentence for each fault of what the chart renders. */
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

/** Checks that helm refuses each file of `ci/bad` with the message of its first line; the second line names its preset. */
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
  helm.run(['template', 'codase', CHART, '--namespace', 'codase', ...files.flatMap((file) => ['--values', `${CHART}/${file}`])], root);
