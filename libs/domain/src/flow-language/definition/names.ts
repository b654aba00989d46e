/** A constant's key. @spec D2-2.5 */
export const CONSTANT_KEY = /^[a-z][a-z0-9_]*$/;

/**
 * Every other name of a definition: slugs, party, node, output and plugin keys. A name has no dot and no colon, because dotted keys and
 * source keys are built of names. It has no leading underscore, so `__proto__` is no name. @gap D2-2.2
 */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
