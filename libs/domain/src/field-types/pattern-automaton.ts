import { PATTERN_STATES } from './limits.ts';
import type { Syntax } from './pattern-syntax.ts';

/** A compiled pattern. It matches only whole texts. */
export interface Automaton {
  matches(text: string): boolean;
}

/** A state of the automaton. With `takes` it consumes one matching character to reach `next`, otherwise it reaches `next` without one. */
interface State {
  readonly takes?: Takes;
  readonly next: State[];
}
type Takes = (char: string) => boolean;

/**
 * Returns the automaton of a pattern. Undefined when the pattern has too many states after its counted repetitions are written out. The
 * automaton keeps the set of states that are possible after each character (Thompson's construction), so no match takes more than
 * states × characters steps. @gap D1-2.5
 */
export function automatonOf(syntax: Syntax): Automaton | undefined {
  const end: State = { next: [] };
  try {
    const start = new Builder().build(syntax, end);
    return { matches: (text) => matches(start, end, text) };
  } catch (fault) {
    if (fault instanceof TooLarge) return undefined;
    throw fault;
  }
}

class TooLarge extends Error {}

class Builder {
  private states = 0;
  private readonly classes = new Map<string, Takes>();

  /** Returns the state in which matching of this part begins. `next` is the state after the part. */
  build(syntax: Syntax, next: State): State {
    switch (syntax.kind) {
      case 'char':
        return this.state([next], this.takes(syntax.source));
      case 'sequence':
        return syntax.parts.reduceRight((rest, part) => this.build(part, rest), next);
      case 'choice':
        return this.state(syntax.branches.map((branch) => this.build(branch, next)));
      case 'repeat':
        return this.repeat(syntax, next);
    }
  }

  /** Writes out counted repetitions. An endless repetition leads back to its start. */
  private repeat({ body, min, max }: Extract<Syntax, { kind: 'repeat' }>, next: State): State {
    if (Math.max(min, max === Infinity ? 0 : max) > PATTERN_STATES) throw new TooLarge();
    let first = max === Infinity ? this.loop(body, next) : next;
    const optional = max === Infinity ? 0 : max - min;
    for (let nth = 0; nth < optional; nth++) first = this.state([this.build(body, first), next]);
    for (let nth = 0; nth < min; nth++) first = this.build(body, first);
    return first;
  }

  private loop(body: Syntax, next: State): State {
    const start = this.state([next]);
    start.next.push(this.build(body, start));
    return start;
  }

  private state(next: State[], takes?: Takes): State {
    this.states += 1;
    if (this.states > PATTERN_STATES) throw new TooLarge();
    return { next, ...(takes && { takes }) };
  }

  /** Returns one shared function for each character class, however often the pattern repeats it. */
  private takes(source: string): Takes {
    const known = this.classes.get(source) ?? takesOf(source);
    this.classes.set(source, known);
    return known;
  }
}

/** Tests one character with a native regex, so that classes and escapes mean the same as in JavaScript. */
function takesOf(source: string): Takes {
  const regex = new RegExp(`^(?:${source})$`, 'u');
  return (char) => regex.test(char);
}

function matches(start: State, end: State, text: string): boolean {
  let possible = reached([start]);
  for (const char of text) {
    const judged = new Map<Takes, boolean>();
    const takesChar = ({ takes }: State) => takes !== undefined && (judged.get(takes) ?? judge(judged, takes, char));
    possible = reached([...possible].filter(takesChar).flatMap(({ next }) => next));
    if (possible.size === 0) return false;
  }
  return possible.has(end);
}

function judge(judged: Map<Takes, boolean>, takes: Takes, char: string): boolean {
  const answer = takes(char);
  judged.set(takes, answer);
  return answer;
}

/** Returns these states and all states that can be reached from them without a character. */
function reached(states: readonly State[]): ReadonlySet<State> {
  const found = new Set(states);
  // The loop also visits members that are added to the set while it runs.
  for (const { takes, next } of found) if (!takes) for (const state of next) found.add(state);
  return found;
}
