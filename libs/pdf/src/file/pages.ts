import { MAX_DEPTH } from '../limits.ts';
import { damaged, PdfRefusal } from '../refusal.ts';
import type { PdfFile } from './pdf-file.ts';
import { Dict, Ref } from './values.ts';

/** The root of the page tree, and how many pages were found below it. */
export interface PageTree {
  ref: Ref;
  dict: Dict;
  count: number;
  firstPage: Ref;
  pages: readonly Ref[];
  /** The pages and the nodes above them. */
  nodes: readonly Ref[];
}

/** Walks the whole page tree. A tree with a loop, a missing page or too many pages is refused, whatever its own counts say. */
export function readPageTree(file: PdfFile): PageTree {
  const ref = file.root().dict.get('Pages');
  if (!(ref instanceof Ref)) throw damaged('no page tree');
  const dict = nodeAt(file, ref);
  if (!dict.entries.has('Kids')) throw damaged('the page tree has no root');
  const seen = new Set<number>();
  const [nodes, pages]: [Ref[], Ref[]] = [[], []];

  const visit = (node: Ref, depth: number): void => {
    if (seen.has(node.num)) throw damaged('a page tree with a loop');
    if (depth > MAX_DEPTH) throw new PdfRefusal('too_complex', 'a page tree that is too deep');
    seen.add(node.num);
    nodes.push(node);
    const kids = file.resolve(nodeAt(file, node).get('Kids'));
    if (!Array.isArray(kids)) {
      file.budget.spend('pages', 1);
      pages.push(node);
      return;
    }
    for (const kid of kids) {
      if (!(kid instanceof Ref)) throw damaged('a page that is not an object of its own');
      visit(kid, depth + 1);
    }
  };

  visit(ref, 0);
  const [firstPage] = pages;
  if (!firstPage) throw damaged('no pages');
  return { ref, dict, count: pages.length, firstPage, pages, nodes };
}

function nodeAt(file: PdfFile, ref: Ref): Dict {
  const dict = file.dictOf(ref);
  if (!dict) throw damaged('a page is missing');
  return dict;
}
