import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';
import { TAGS } from '../spec/outline.ts';
import { SECTIONS } from '../spec/sections.ts';

export interface Tag {
  /** The tag as it was written, which may be wrong: `D1-6.3`. */
  tag: string;
  file: string;
  line: number;
  /** A source builds what it cites, and a test proves it. A file that only supports tests does neither. */
  kind: 'source' | 'test' | 'support';
}

/** `@spec D1-6.3` on a rule or in the title of its test, `@gap D1-8` on a decision of ours, `spec: 'D1-4.2'` on a contract. */
const TAG = /(?:@(?:spec|gap)\s+|\bspec: ')([A-Za-z0-9.-]*[A-Za-z0-9])/g;

/** Every citation in the apps, the libraries and the end-to-end tests. */
export function collectTags(root: string): Tag[] {
  return sourceFiles(root, ['apps', 'libs', 'dev', 'e2e'], ['.ts', '.sql']).flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((text, i) => [...text.matchAll(TAG)].map(([, tag]) => ({ tag: tag!, file, line: i + 1, kind: kindOf(file) })));
  });
}

function kindOf(file: string): Tag['kind'] {
  if (file.endsWith('.spec.ts')) return 'test';
  return /^(apps|libs)\/[^/]+\/src\//.test(file) && !file.startsWith('libs/command-line/') ? 'source' : 'support';
}

export function citingFiles(id: string, kind: Tag['kind'], tags: readonly Tag[]): string[] {
  const cited = new Set([id, ...pointsOf(id)]);
  return [...new Set(tags.filter((tag) => tag.kind === kind && cited.has(tag.tag)).map(({ file }) => file))];
}

const pointsOf = (id: string) => [...TAGS].filter((tag) => tag.startsWith(`${id}.`) && !SECTIONS.some((section) => section.id === tag));

export const isBuilt = (id: string, tags: readonly Tag[]): boolean =>
  citingFiles(id, 'source', tags).length > 0 && citingFiles(id, 'test', tags).length > 0;
