import { stringOf, type Node } from './syntax.ts';

export interface TableUse {
  table: string | undefined;
  /** Whether the statement may change its rows; otherwise it reads or locks them. */
  writes: boolean;
}

/** The tables that the SQL of a source names: in templates tagged `sql` or `many(db)`, and in other strings that begin like a statement. */
export function tablesOf(all: readonly Node[]): TableUse[] {
  const tagged = new Set(all.filter(isTaggedSql).map(({ template }) => template));
  return all.flatMap((node) => {
    const text = textOf(node);
    if (text === undefined || !(tagged.has(node) || BEGINS.test(text))) return [];
    return usesIn(text);
  });
}

const TAGS: unknown[] = ['sql', 'many', 'one', 'execute', 'column', 'hasRow'];
const isTaggedSql = ({ type, tag }: Node) =>
  type === 'TaggedTemplateExpression' && TAGS.includes((tag as Node).value ?? ((tag as Node).callee as Node | undefined)?.value);
const BEGINS = /^\s*(select|insert into|update|delete from|with|declare|truncate|lock table|merge into|copy)\s/i;

const COMPUTED = '\u0000';

function textOf(node: Node): string | undefined {
  if (node.type !== 'TemplateLiteral') return stringOf(node);
  return (node.quasis as { cooked?: string; raw: string }[]).map(({ cooked, raw }) => cooked ?? raw).join(COMPUTED);
}

/** A table's name follows a keyword, or a comma in a list of tables, where its alias distinguishes it from a column. */
const NAMED = /\b(from|join|into|update|using|truncate|table)\s+(?:only\s+|lateral\s+)*(\w+(?:\.\w+)?|\0)(?![\w.]|\s*\()/gi;
const LISTED =
  /,\s*([a-z_]\w*)\s+(?:as\s+)?(?!from\b|where\b|order\b|group\b|limit\b|as\b|and\b|or\b|is\b|in\b|on\b)[a-z]\w*\s*(?=where\b|,|join\b|$)/gi;
const WRITING = new Set(['into', 'update', 'truncate']);

function usesIn(sql: string): TableUse[] {
  const text = sql.replace(/--.*$/gm, ' ').replace(/'[^']*'/g, "''");
  const local = new Set(
    [...text.matchAll(/\b([a-z_]\w*)\s*(?:\([^()]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s+)?\(/gi)].map(([, name]) => name!),
  );
  const named = [...text.matchAll(NAMED)].filter((match) => !isOtherUse(text, match)).map((match) => useOf(text, match));
  const listed = [...text.matchAll(LISTED)].map(([, table]) => ({ table, writes: false }));
  return [...named, ...listed].filter(({ table }) => table === undefined || !local.has(table));
}

/** Whether the keyword names no table, as in `for update of x`, `do update set`, `extract(epoch from x)` and `is distinct from x`. */
function isOtherUse(text: string, { index, 1: word }: RegExpExecArray): boolean {
  const before = text.slice(0, index).trimEnd();
  if (/^update$/i.test(word!)) return /\b(for|do|key)$/i.test(before);
  return /^from$/i.test(word!) && /\bdistinct$|\bextract\s*\([^()]*$|\bfetch\s+\S+$/i.test(before);
}

function useOf(text: string, { index, 1: word, 2: table }: RegExpExecArray): TableUse {
  const deletes = /^from$/i.test(word!) && /\bdelete$/i.test(text.slice(0, index).trimEnd());
  return { table: table === COMPUTED ? undefined : table!.toLowerCase(), writes: deletes || WRITING.has(word!.toLowerCase()) };
}
