/** A tree of the part of the regex language that rows may use: characters, sequences, alternatives and repetitions. */
export type Syntax =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'choice'; readonly branches: readonly Syntax[] }
  | { readonly kind: 'repeat'; readonly body: Syntax; readonly min: number; readonly max: number };

/** One token: an escape, a class, the start of a group, a repetition, or any other character. */
const TOKEN = /\\(?:[pPu]\{[^}]*\}|u[^{]{4}|x.{2}|c.|.)|\[(?:\\.|[^\\\]])*\]|\(\?:|\(\?<?.|[*+?]\??|\{[^}]*\}\??|./gsu;
/** Tokens that rows may not use, because they do not stand for one character: look-around, named groups, anchors, \b, back references. */
const UNSUPPORTED = /^(?:\(\?<?[^:]|[$^]|\\[bBk1-9])$/u;
const SIGNS: Readonly<Record<string, Bounds>> = { '*': { min: 0, max: Infinity }, '+': { min: 1, max: Infinity }, '?': { min: 0, max: 1 } };
const COUNT = /\{(\d+)(,?)(\d*)\}/;

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Reads a regex that is known to compile. Returns undefined when it uses more than this part of the language. */
export function readPattern(source: string): Syntax | undefined {
  const tokens = source.match(TOKEN) ?? [];
  return tokens.some((token) => UNSUPPORTED.test(token)) ? undefined : readChoice(tokens.toReversed());
}

/** Reads alternatives. The tokens are in reverse order, so that `pop` takes the next one. */
function readChoice(tokens: string[]): Syntax {
  const branches = [readSequence(tokens)];
  while (tokens.at(-1) === '|') {
    tokens.pop();
    branches.push(readSequence(tokens));
  }
  return { kind: 'choice', branches };
}

function readSequence(tokens: string[]): Syntax {
  const parts: Syntax[] = [];
  while (tokens.length > 0 && tokens.at(-1) !== '|' && tokens.at(-1) !== ')') parts.push(readRepeated(tokens));
  return { kind: 'sequence', parts };
}

function readRepeated(tokens: string[]): Syntax {
  const body = readAtom(tokens);
  const bounds = boundsOf(tokens.at(-1));
  if (!bounds) return body;
  tokens.pop();
  return { kind: 'repeat', body, ...bounds };
}

function readAtom(tokens: string[]): Syntax {
  const source = tokens.pop()!;
  if (source !== '(' && source !== '(?:') return { kind: 'char', source };
  const group = readChoice(tokens);
  tokens.pop();
  return group;
}

/** Returns the bounds of a repetition. Undefined for any other token, which the first character shows. */
function boundsOf(token = ''): Bounds | undefined {
  if (!token.startsWith('{')) return SIGNS[token.charAt(0)];
  const [, min, comma, max] = COUNT.exec(token)!;
  return { min: Number(min), max: max ? Number(max) : comma ? Infinity : Number(min) };
}
