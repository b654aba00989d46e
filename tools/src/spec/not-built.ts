import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The file with the one list of what is not built yet. */
export const NOT_BUILT_FILE = 'docs/not-built.json';

const NotBuilt = z.strictObject({
  /** Sections, or points of a section, that are not built. */
  sections: z.array(z.string()),
  /** Sections of which a part is built: what is still missing, in a few words. */
  partly: z.record(z.string(), z.string().min(1)).default({}),
  routes: z.array(z.string()),
  /** Answers that a served endpoint declares and cannot give yet, by its name. */
  answers: z.record(z.string(), z.array(z.string())).default({}),
});

export type NotBuilt = z.infer<typeof NotBuilt>;

export function readNotBuilt(root: string): NotBuilt {
  return NotBuilt.parse(JSON.parse(readFileSync(join(root, NOT_BUILT_FILE), 'utf8')));
}
