/** Whether two single-character patterns could take the same character: exact within ASCII, and never a false no beyond it. */
export type Overlap = (one: string, other: string) => boolean;

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
/** An escape or class that cannot reach beyond ASCII. */
const ASCII_ONLY = /^(?:\\[^pPWDSsux]|\[(?!\^)(?:[^\\\u{80}-\u{10ffff}]|\\[^pPWDSsux])*\])$/u;
const LITERAL = /^[^.\\[]$/su;

/** An overlap test that compares each pair of classes once. */
export function overlapTest(): Overlap {
  const known = new Map<string, boolean>();
  return (one, other) => {
    if (one === other) return true;
    if (LITERAL.test(one) && LITERAL.test(other)) return false;
    const pair = `${one} ${other}`;
    const answer = known.get(pair) ?? overlaps(one, other);
    known.set(pair, answer);
    return answer;
  };
}

function overlaps(one: string, other: string): boolean {
  const [first, second] = [new RegExp(`^${one}$`, 'u'), new RegExp(`^${other}$`, 'u')];
  if (LITERAL.test(one)) return second.test(one);
  if (LITERAL.test(other)) return first.test(other);
  if (!ASCII_ONLY.test(one) && !ASCII_ONLY.test(other)) return true;
  return ASCII.some((char) => first.test(char) && second.test(char));
}
