import { importsOf } from './imports.ts';
import { nodes, parse } from './syntax.ts';

const targets = (source: string, file = 'x.ts') => importsOf(nodes(parse(source, file)));

describe('the imports of a file', () => {
  it.each([
    ["import { a } from 'static';", { target: 'static', names: ['a'], typeOnly: false }],
    ["import b, { a as c } from 'renamed';", { target: 'renamed', names: ['default', 'a'], typeOnly: false }],
    ["import * as a from 'whole';", { target: 'whole', names: 'everything', typeOnly: false }],
    ["import 'bare';", { target: 'bare', names: [], typeOnly: false }],
    ["export { a } from 'named';", { target: 'named', names: ['a'], typeOnly: false }],
    ["export * from 'star';", { target: 'star', names: 'everything', typeOnly: false }],
    ["const a = await import('dynamic');", { target: 'dynamic', names: 'everything', typeOnly: false }],
    ["const a = require('required');", { target: 'required', names: 'everything', typeOnly: false }],
    ["import a = require('equals');", { target: 'equals', names: 'everything', typeOnly: false }],
    ["import { type A } from 'kept';", { target: 'kept', names: ['A'], typeOnly: false }],
    ["import type { A } from 'types';", { target: 'types', names: ['A'], typeOnly: true }],
    ["export type { A } from 'types';", { target: 'types', names: ['A'], typeOnly: true }],
    ["type A = import('inline').A;", { target: 'inline', names: 'everything', typeOnly: true }],
    ["type A = typeof import('query');", { target: 'query', names: 'everything', typeOnly: true }],
    ["const a = await import('./' + name);", { target: undefined, names: 'everything', typeOnly: false }],
  ])('are read from: %s', (source, expected) => {
    expect(targets(source)).toEqual([expected]);
  });

  it('are not read from strings, comments or decorators that look like an import', () => {
    expect(targets("// import 'a'\nconst text = \"import 'b'\";\n@Bind('c') class D {}\nexport const e = 1;")).toEqual([]);
  });

  it('are read from plain JavaScript', () => {
    expect(targets("import a from 'a'; const { if: b } = a;", 'x.mjs')).toEqual([{ target: 'a', names: ['default'], typeOnly: false }]);
  });
});
