import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardOf, type DashboardPlan } from './dashboard.ts';
import { PLATFORM } from './platform-dashboard.ts';
import { SERVICE } from './service-dashboard.ts';
import { SUITE } from './suite-dashboard.ts';
import { WELL } from './well-dashboard.ts';

export const DASHBOARDS: readonly DashboardPlan[] = [WELL, SUITE, PLATFORM, SERVICE];

export const DASHBOARDS_FOLDER = 'deploy/observability/boards';

/** Returns the content of each dashboard's file, by file name. */
export const dashboardFiles = (): Record<string, string> =>
  Object.fromEntries(DASHBOARDS.map((plan) => [`${plan.uid}.json`, `${JSON.stringify(dashboardOf(plan), null, 2)}\n`]));

/** Returns the names of the files that are not what the code says. */
export const staleDashboards = (root: string): string[] =>
  Object.entries(dashboardFiles()).flatMap(([name, text]) => {
    const file = join(root, DASHBOARDS_FOLDER, name);
    return existsSync(file) && readFileSync(file, 'utf8') === text ? [] : [name];
  });
