import { NOT_BUILT_FILE, type NotBuilt } from '../spec/not-built.ts';
import { LEAVES, TAGS } from '../spec/outline.ts';
import { SECTIONS, type Section } from '../spec/sections.ts';
import { citingFiles, isBuilt, type Tag } from './tags.ts';

/** Returns a sentence for each disagreement between the sections, the tags and the list of what is not built. */
export function sectionProblems(tags: readonly Tag[], { sections, partly }: NotBuilt): string[] {
  const listed = [...sections, ...Object.keys(partly)];
  return [
    ...tags.flatMap((tag) => unknownTag(tag) ?? []),
    ...repeated(listed).map((id) => `${NOT_BUILT_FILE} lists ${id} twice: keep one.`),
    ...sections.flatMap((id) => unlistable(id) ?? builtAfterAll(id, tags) ?? []),
    ...Object.keys(partly).flatMap((id) => unlistable(id) ?? notBegun(id, tags) ?? []),
    ...LEAVES.filter(({ id }) => !listed.includes(id)).flatMap((section) => incomplete(section, tags) ?? []),
  ];
}

export const repeated = (names: readonly string[]): string[] => [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];

const unknownTag = ({ tag, file, line }: Tag) =>
  TAGS.has(tag) ? undefined : `${file}:${line} cites ${tag}, which the specification does not have: mend the tag.`;

function unlistable(id: string): string | undefined {
  if (!TAGS.has(id)) return `${NOT_BUILT_FILE} lists ${id}, which the specification does not have: mend or remove it.`;
  const isParent = SECTIONS.some((section) => section.id === id) && !LEAVES.some((leaf) => leaf.id === id);
  return isParent ? `${NOT_BUILT_FILE} lists ${id}, which has sections below it: list those.` : undefined;
}

const builtAfterAll = (id: string, tags: readonly Tag[]) =>
  isBuilt(id, tags)
    ? `${id} is cited in source and test and stands on ${NOT_BUILT_FILE}: remove it there, or move it to partly with what is missing.`
    : undefined;

const notBegun = (id: string, tags: readonly Tag[]) =>
  citingFiles(id, 'source', tags).length
    ? undefined
    : `${NOT_BUILT_FILE} says that ${id} is partly built, but no source cites it: move it to sections.`;

function incomplete({ id, title }: Section, tags: readonly Tag[]): string | undefined {
  const [[file], [test]] = [citingFiles(id, 'source', tags), citingFiles(id, 'test', tags)];
  if (file && test) return undefined;
  const where = file ? `in ${file} and in no test` : test ? `in ${test} and in no source` : 'nowhere';
  return `${id} ${title} is cited ${where}: write what is missing with '@spec ${id}', or list it in ${NOT_BUILT_FILE}.`;
}
