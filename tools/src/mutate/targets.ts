import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageFault } from '@codase/command-line';

/** What is mutated in one go: a library, or files of it. */
export interface Target {
  lib: string;
  mutate: string[];
  /** Whether this is the whole library, so that results can be kept for the next time. */
  whole: boolean;
}

const DEFAULT_LIBS = ['crypto', 'domain'];

/** Reads names such as `crypto` or `libs/crypto/src/der.ts`. Returns the default libraries when nothing is named. */
export function targetsOf(names: readonly string[], root: string): Target[] {
  const targets = new Map<string, Target>();
  for (const name of names.length ? names : DEFAULT_LIBS) {
    const target = targetOf(name, root);
    const known = targets.get(target.lib);
    if (known?.whole) continue;
    targets.set(target.lib, target.whole || !known ? target : { ...known, mutate: [...known.mutate, ...target.mutate] });
  }
  return [...targets.values()];
}

function targetOf(name: string, root: string): Target {
  if (/^[\w-]+$/.test(name) && existsSync(join(root, 'libs', name, 'src'))) {
    return { lib: name, mutate: [`libs/${name}/src/**/!(*.spec|*.check).ts`], whole: true };
  }
  const lib = /^libs\/([\w-]+)\/src\/[^:]+\.ts(?::\d+-\d+)?$/.exec(name)?.[1];
  if (lib === undefined || !existsSync(join(root, name.replace(/:\d+-\d+$/, '')))) {
    throw new UsageFault(
      `'${name}' is neither a library nor a file of one: name crypto, or libs/crypto/src/der.ts, or libs/crypto/src/der.ts:10-20.`,
    );
  }
  return { lib, mutate: [name], whole: false };
}
