import { PATTERN_PLACES } from './limits.ts';
import { overlapTest, type Overlap } from './pattern-overlap.ts';
import type { Syntax } from './pattern-syntax.ts';

/** One character of the pattern, and the places that may take the character after it. */
interface Place {
  readonly source: string;
  readonly next: Place[];
}

/** A part of the pattern by its edges: where it may begin, where it may end, whether it may be empty. */
interface Part {
  readonly first: readonly Place[];
  readonly last: readonly Place[];
  readonly empty: boolean;
}

/**
 * Why a matcher could lose time on this pattern; undefined when it cannot. The rule is the one XML Schema has for its content
 * models: read from the left, each character can be taken by one place of the pattern, on one way. Then going back never helps,
 * and a match costs one step per character. @gap D1-2.5
 */
export function ambiguityOf(syntax: Syntax): string | undefined {
  const places: Place[] = [];
  try {
    const whole = partOf(syntax, places);
    const forks = [whole.first, ...places.map(({ next }) => next)];
    const overlap = overlapTest();
    return forks.some((fork) => hasTwoWays(fork, overlap)) ? 'a character could be matched in two ways' : undefined;
  } catch (fault) {
    if (fault instanceof Ambiguity) return fault.message;
    throw fault;
  }
}

class Ambiguity extends Error {}

const TOO_OFTEN = 'it repeats too often';

const NOTHING: Part = { first: [], last: [], empty: true };

function partOf(syntax: Syntax, places: Place[]): Part {
  switch (syntax.kind) {
    case 'char':
      return charPart(syntax.source, places);
    case 'sequence':
      return syntax.parts.map((part) => partOf(part, places)).reduce(joined, NOTHING);
    case 'choice':
      return oneOf(syntax.branches.map((branch) => partOf(branch, places)));
    case 'repeat':
      return repeated(() => partOf(syntax.body, places), syntax.min, syntax.max);
  }
}

function charPart(source: string, places: Place[]): Part {
  if (places.length >= PATTERN_PLACES) throw new Ambiguity(TOO_OFTEN);
  const place: Place = { source, next: [] };
  places.push(place);
  return { first: [place], last: [place], empty: false };
}

function joined(left: Part, right: Part): Part {
  for (const place of left.last) place.next.push(...right.first);
  return {
    first: left.empty ? [...left.first, ...right.first] : left.first,
    last: right.empty ? [...left.last, ...right.last] : right.last,
    empty: left.empty && right.empty,
  };
}

function oneOf(branches: readonly Part[]): Part {
  if (branches.filter(({ empty }) => empty).length > 1) throw new Ambiguity('two alternatives could both be empty');
  return {
    first: branches.flatMap(({ first }) => first),
    last: branches.flatMap(({ last }) => last),
    empty: branches.some(({ empty }) => empty),
  };
}

/** Counted repetitions are written out; an endless one leads from its end back to its start. */
function repeated(copy: () => Part, min: number, max: number): Part {
  if (Math.max(min, max === Infinity ? 0 : max) > PATTERN_PLACES) throw new Ambiguity(TOO_OFTEN);
  const times = (count: number) => Array.from({ length: count }, () => solid(copy()));
  const needed = times(min);
  if (max === Infinity) return [...needed, optional(looped(solid(copy())))].reduce(joined, NOTHING);
  const extra = times(max - min).reduceRight((rest, part) => optional(joined(part, rest)), NOTHING);
  return [...needed, extra].reduce(joined, NOTHING);
}

function solid(part: Part): Part {
  if (part.empty) throw new Ambiguity('what is repeated could be empty');
  return part;
}

const optional = (part: Part): Part => ({ ...part, empty: true });

function looped(part: Part): Part {
  for (const place of part.last) place.next.push(...part.first);
  return part;
}

/** The same place reached on two paths counts as well. */
const hasTwoWays = (fork: readonly Place[], overlap: Overlap): boolean =>
  fork.some((one, i) => fork.slice(i + 1).some((other) => overlap(one.source, other.source)));
