import { TAGS } from '../spec/outline.ts';
import { SECTIONS } from '../spec/sections.ts';
import type { Tag } from './tags.ts';

export function citingFiles(id: string, kind: Tag['kind'], tags: readonly Tag[]): string[] {
  const cited = new Set([id, ...pointsOf(id)]);
  return [...new Set(tags.filter((tag) => tag.kind === kind && cited.has(tag.tag)).map(({ file }) => file))];
}

const pointsOf = (id: string) => [...TAGS].filter((tag) => tag.startsWith(`${id}.`) && !SECTIONS.some((section) => section.id === tag));

export const isBuilt = (id: string, tags: readonly Tag[]): boolean =>
  citingFiles(id, 'source', tags).length > 0 && citingFiles(id, 'test', tags).length > 0;
