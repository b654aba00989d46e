import { readNotBuilt, type NotBuilt } from '../spec/not-built.ts';
import { LEAVES, ROUTES, type Route } from '../spec/outline.ts';
import { SECTIONS, type Section } from '../spec/sections.ts';
import { isServed, routeProblems, type Served } from './route-problems.ts';
import { sectionProblems } from './section-problems.ts';
import { citingFiles, collectTags, isBuilt, type Tag } from './tags.ts';

/** A section, the files that build and test it, and its state. A parent has no state of its own: its sections have. */
export interface IndexedSection extends Section {
  files: string[];
  tests: string[];
  state: 'built' | 'partly' | 'not built' | 'parent';
  /** What a partly built section still lacks. */
  missing?: string;
}

interface IndexedRoute extends Route {
  built: boolean;
}

/** The specification compared with the source; `problems` is empty when list, tags and contracts agree. */
export interface SpecIndex {
  sections: IndexedSection[];
  routes: IndexedRoute[];
  problems: string[];
}

export function specIndex(root: string, served: Served): SpecIndex {
  const [tags, notBuilt] = [collectTags(root), readNotBuilt(root)];
  return {
    sections: SECTIONS.map((section) => indexed(section, tags, notBuilt)),
    routes: ROUTES.map((route) => ({ ...route, built: isServed(route.route, served) })),
    problems: [...sectionProblems(tags, notBuilt), ...routeProblems(notBuilt, served)],
  };
}

const indexed = (section: Section, tags: readonly Tag[], notBuilt: NotBuilt): IndexedSection => ({
  ...section,
  files: citingFiles(section.id, 'source', tags),
  tests: citingFiles(section.id, 'test', tags),
  state: stateOf(section, tags, notBuilt),
  ...(section.id in notBuilt.partly && { missing: notBuilt.partly[section.id]! }),
});

function stateOf(section: Section, tags: readonly Tag[], { partly }: NotBuilt): IndexedSection['state'] {
  if (!LEAVES.includes(section)) return 'parent';
  if (section.id in partly) return 'partly';
  return isBuilt(section.id, tags) ? 'built' : 'not built';
}
