import { importsOf } from './imports.ts';
import { nodes, parse } from './syntax.ts';

const targets = (source: string, file = 'x.ts') => importsOf(nodes(parse(source, file)));

describe('the imports of a file', () => {
  it.each([
    ["import { a } from 'static';", { target: 'static', typeOnly: false }],
    ["import 'bare';", { target: 'bare', typeOnly: false }],
    ["export { a } from 'named';", { target: 'named', typeOnly: false }],
    ["export * from 'star';", { target: 'star', typeOnly: false }],
    ["const a = await import('dynamic');", { target: 'dynamic', typeOnly: false }],
    ["const a = require('required');", { target: 'required', typeOnly: false }],
    ["import a = require('equals');", { target: 'equals', typeOnly: false }],
    ["import { type A } from 'kept';", { target: 'kept', typeOnly: false }],
    ["import type { A } from 'types';", { target: 'types', typeOnly: true }],
    ["export type { A } from 'types';", { target: 'types', typeOnly: true }],
    ["type A = import('inline').A;", { target: 'inline', typeOnly: true }],
    ["type A = typeof import('query');", { target: 'query', typeOnly: true }],
    ["const a = await import('./' + name);", { target: undefined, typeOnly: false }],
  ])('are read from: %s', (source, expected) => {
    expect(targets(source)).toEqual([expected]);
  });

  it('are not read from strings, comments or decorators that look like an import', () => {
    expect(targets("// import 'a'\nconst text = \"import 'b'\";\n@Bind('c') class D {}\nexport const e = 1;")).toEqual([]);
  });

  it('are read from plain JavaScript', () => {
    expect(targets("import a from 'a'; const { if: b } = a;", 'x.mjs')).toEqual([{ target: 'a', typeOnly: false }]);
  });
});
