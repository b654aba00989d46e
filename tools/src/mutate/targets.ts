import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageFault } from '@codase/command-line';

/** What is mutated in one go: a library, files of it, or files of one folder of an app. */
export interface Target {
  name: string;
  mutate: string[];
  /** The folder whose specs try the mutants. */
  specs: string;
  /** Whether this is a whole library, so that results can be kept for the next time. */
  whole: boolean;
}

/**
 * The guard of requests between regions: who speaks for whom, and which device has signed (decisions 143 and 159). It stands between a
 * region in the wrong hands and the users of all others.
 */
const GUARD = [
  'libs/contracts/src/core/peer-subjects.ts',
  'libs/contracts/src/core/person-act.ts',
  'apps/platform/src/foundation/peers/peer-handlers.service.ts',
  'apps/platform/src/foundation/peers/speakers.service.ts',
  'apps/platform/src/access/devices/act-statements.service.ts',
  'apps/platform/src/access/tokens/dpop/device-jws.ts',
] as const;
const DEFAULT = ['crypto', 'domain', ...GUARD];

/** Reads names such as `crypto`, `libs/crypto/src/der.ts` or a file of an app. Returns the default targets when nothing is named. */
export function targetsOf(names: readonly string[], root: string): Target[] {
  const targets = new Map<string, Target>();
  for (const name of names.length ? names : DEFAULT) {
    const target = targetOf(name, root);
    const known = targets.get(target.name);
    if (known?.whole) continue;
    targets.set(target.name, target.whole || !known ? target : { ...known, mutate: [...known.mutate, ...target.mutate] });
  }
  return [...targets.values()];
}

function targetOf(name: string, root: string): Target {
  if (/^[\w-]+$/.test(name) && existsSync(join(root, 'libs', name, 'src'))) {
    return { name, mutate: [`libs/${name}/src/**/!(*.spec|*.check).ts`], specs: `libs/${name}/src`, whole: true };
  }
  const [, of, unit] = /^(libs|apps)\/([\w-]+)\/src\/[^:]+\.ts(?::\d+-\d+)?$/.exec(name) ?? [];
  if (unit === undefined || !existsSync(join(root, name.replace(/:\d+-\d+$/, '')))) {
    throw new UsageFault(
      `'${name}' is no library, and no file of a library or app: name crypto, libs/crypto/src/der.ts, or libs/crypto/src/der.ts:10-20.`,
    );
  }
  // Most specs of apps need servers. Those beside a file need none.
  return of === 'libs'
    ? { name: unit, mutate: [name], specs: `libs/${unit}/src`, whole: false }
    : { name: dirname(name), mutate: [name], specs: dirname(name), whole: false };
}
