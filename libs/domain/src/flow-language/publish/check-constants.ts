import { finding } from '../definition/finding.ts';
import { MAX_LEVELS } from '../definition/limits.ts';
import { CONSTANT_KEY } from '../definition/names.ts';
import { readsOf } from '../expressions/reads.ts';
import { isTooDeep } from '../expressions/walk.ts';
import { inferType } from './infer-type.ts';
import type { Check } from './check-context.ts';
import { usedKeys } from './used-keys.ts';

/** Keys of constants match the pattern, and are unique among slugs and constants. @spec D2-2.5 @spec D2-7 */
export const constantKeysAreSound: Check = function* ({ definition: { constants }, elements }) {
  const taken = new Set(elements.flatMap(({ element }) => ('slug' in element ? [element.slug] : [])));
  for (const { key } of constants) {
    const where = { constant: key };
    if (!CONSTANT_KEY.test(key)) yield finding('constant.key_invalid', where, `The key ${key} must match ${CONSTANT_KEY.source}`);
    if (taken.has(key)) yield finding('constant.key_duplicate', where, `The key ${key} is a field's or another constant's too: rename one`);
    taken.add(key);
  }
};

/** Every reference of a constant names an existing slug or constant. @spec D2-7 */
export const constantRefsAreKnown: Check = function* ({ definition: { constants }, isKnown }) {
  for (const { key, expr } of constants) {
    for (const read of readsOf(expr)) {
      const message = `The constant ${key} reads ${read}, which is no slug and no constant`;
      if (!isKnown(read)) yield finding('constant.ref_unknown', { constant: key }, message);
    }
  }
};

/** Types agree inside each constant and with its result_type. @spec D2-7 */
export const constantTypesAgree: Check = function* ({ definition: { constants }, kinds }) {
  for (const { key, expr, result_type } of constants) {
    const { type, faults } = inferType(expr, kinds);
    const agrees = type === result_type || type === 'any' || result_type === undefined;
    const fault = faults[0] ?? (agrees ? undefined : `its expression gives ${type}, not ${result_type}`);
    if (fault !== undefined) yield finding('constant.type_mismatch', { constant: key }, `In the constant ${key}, ${fault}`);
  }
};

/** No expression nests deeper than allowed. @spec D2-7 @spec D2-8 */
export const constantsAreShallow: Check = function* ({ definition: { constants } }) {
  for (const { key, expr } of constants) {
    if (!isTooDeep(expr)) continue;
    yield finding('constant.expr_too_deep', { constant: key }, `The constant ${key} nests deeper than ${MAX_LEVELS} levels: split it`);
  }
};

/** A constant is shown only on nodes that exist and on which it can be computed. @spec D2-7 */
export const shownConstantsAreComputable: Check = function* ({ definition: { constants }, isNode, isAvailable }) {
  for (const { key, shown_on } of constants) {
    for (const node of shown_on) {
      const where = { constant: key, node };
      const shown = `The constant ${key} is shown on ${node}`;
      if (!isNode(node)) yield finding('constant.shown_on_unknown_node', where, `${shown}, which is no node`);
      else if (!isAvailable(key, node)) {
        yield finding('constant.shown_on_not_computable', where, `${shown}, but reads answers given later or elsewhere`);
      }
    }
  }
};

/** Every constant is used. A constant that nothing refers to is probably a mistake. @spec D2-7 */
export const constantsAreUsed: Check = function* (context) {
  if (context.doubts.has('uses')) return;
  const used = usedKeys(context);
  for (const { key } of context.definition.constants) {
    if (!used.has(key)) yield finding('constant.unused', { constant: key }, `The constant ${key} is used nowhere: remove it or show it`);
  }
};
