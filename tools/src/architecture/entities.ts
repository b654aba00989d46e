import { member, nameOf, stringOf, type Node } from './syntax.ts';

export interface EntityClass {
  name: string;
  /** As statements write it: with its schema, unless that is the usual one. */
  table: string;
}

/** The entities that a source declares: its classes with `@Entity({ name: 'the_table' })`. */
export const entitiesOf = (all: readonly Node[]): EntityClass[] =>
  all
    .filter(({ type }) => type === 'ClassDeclaration')
    .flatMap(({ identifier, decorators }) =>
      ((decorators ?? []) as { expression: Node }[]).flatMap(({ expression }) => {
        const [named] = (expression.arguments ?? []) as { expression: Node }[];
        const [schema, table] = ['schema', 'name'].map((key) => stringOf(member(named?.expression, key)));
        if (!named || nameOf(expression.callee as Node) !== 'Entity' || table === undefined) return [];
        return [{ name: nameOf(identifier as Node), table: schema === undefined ? table : `${schema}.${table}` }];
      }),
    );

const ENTITY = /\.entity\.ts$/;

/** Returns a sentence for each index.ts that gives an entity away: another capability could then write repository calls on the table. */
export function entitiesGivenAway({
  file,
  imports,
}: {
  file: string;
  imports: readonly { target: string | undefined; typeOnly: boolean }[];
}): string[] {
  if (!/^apps\/platform\/src\/[^/]+\/[^/]+\/index\.ts$/.test(file)) return [];
  return imports
    .filter(({ target, typeOnly }) => !typeOnly && ENTITY.test(target ?? ''))
    .map(({ target }) => `${file} exports ${target} as a value: other capabilities get the types of rows alone.`);
}
