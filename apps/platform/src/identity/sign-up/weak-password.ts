import { knownPasswords } from './known-passwords.ts';

/** Letters by the signs that are typed in their place. */
const LETTERS: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '!': 'i',
  '1': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};
const SIGNS = /[@43!10$57]/g;

/** Up to so many digits and signs around a known password leave it known: a year, a date, an exclamation mark. */
const MOST_ADDED = 8;
/** What is repeated is a choice of few up to this length. */
const LONGEST_UNIT = 8;
/** Shorter words are parts of anything. */
const LEAST_CORE = 4;

/**
 * A password that is tried first: one of breaches, also with capitals, with signs for letters or with a few digits around it;
 * something short over and over; or the address it belongs to. How long it is, the contract says. @gap D1-5
 */
export async function isWeakPassword(password: string, email: string): Promise<boolean> {
  const typed = password.normalize('NFKC').toLowerCase();
  const address = email.toLowerCase();
  if (isRepetition(typed) || typed === address || typed === address.split('@')[0]) return true;
  const known = await knownPasswords();
  return spellings(typed).some((spelling) => known.has(spelling));
}

/** What a list of known passwords may hold it as. */
function spellings(typed: string): string[] {
  const core = coreOf(typed);
  const isCore = core.length >= LEAST_CORE && typed.length - core.length <= MOST_ADDED;
  return [typed, inLetters(typed), ...(isCore ? [core, inLetters(core)] : [])];
}

/** A text that is found in its double before its end repeats what stands before there. */
function isRepetition(typed: string): boolean {
  const unit = `${typed}${typed}`.indexOf(typed, 1);
  return unit < typed.length && unit <= LONGEST_UNIT;
}

/** From the first letter to the last, without backtracking: the password may be long. */
function coreOf(typed: string): string {
  const signs = [...typed];
  const first = signs.findIndex(isLetter);
  return first < 0 ? '' : signs.slice(first, signs.findLastIndex(isLetter) + 1).join('');
}

const isLetter = (sign: string) => /^\p{L}$/u.test(sign);
const inLetters = (text: string) => text.replace(SIGNS, (sign) => LETTERS[sign]!);
