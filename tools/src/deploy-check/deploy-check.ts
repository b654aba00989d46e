import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readParts } from '../images/bundle-parts.ts';
import { imageProblems } from '../images/image-problems.ts';
import { dashboardProblems } from '../boards/dashboard-problems.ts';
import { alertProblems, promtoolProblems } from './alert-problems.ts';
import { capacityProblems } from './capacity-problems.ts';
import { chartProblems } from './chart-problems.ts';
import { collectorProblems } from './collector-problems.ts';
import { findHelm, findPromtool, isFound, programsFolder } from './programs.ts';
import { manifestsIn } from './manifest.ts';
import { POSTGRES, postgresProblems, typedPart } from './postgres-problems.ts';
import { settingsProblems } from './settings-problems.ts';
import { typeProblems } from './type-problems.ts';

/** What is wrong below `deploy`, and what could not be checked on this machine, each as a sentence. */
export interface DeployCheck {
  problems: string[];
  leftOut: string[];
}

/** Checks everything below `deploy`. Where helm is emulated, a quick check renders each plane once; a thorough check renders everything. */
export async function deployCheck(root: string, { isThorough }: { isThorough: boolean }): Promise<DeployCheck> {
  const check: DeployCheck = { problems: [], leftOut: [] };
  check.problems.push(...imageProblems(root, readParts(root)));
  check.problems.push(...settingsProblems(root, JSON.parse(readFileSync(join(root, 'deploy/chart/values.schema.json'), 'utf8'))));
  const postgres = manifestsIn(readFileSync(join(root, POSTGRES), 'utf8'));
  check.problems.push(...postgresProblems(root, postgres), ...(await typeProblems(root, typedPart(postgres))));
  check.problems.push(...capacityProblems(root, postgres));
  check.problems.push(...alertProblems(root), ...dashboardProblems(root));
  check.problems.push(...collectorProblems(parse(readFileSync(join(root, 'deploy/observability/collector.yaml'), 'utf8'))));
  const programs = programsFolder(root);
  const promtool = await findPromtool(programs);
  if (isFound(promtool)) check.problems.push(...(await promtoolProblems(root, promtool)));
  else check.leftOut.push(promtool.missing);
  const helm = await findHelm(programs);
  if (isFound(helm)) check.problems.push(...(await chartProblems(root, helm, { isQuick: !isThorough && !helm.isNative })));
  else check.leftOut.push(helm.missing);
  return check;
}
