import { knownPasswords } from './known-passwords.ts';

/** Signs that people type in place of letters, each with its letter. */
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

/** A known password stays known with up to this many digits and signs around it: a year, a date, an exclamation mark. */
const MAX_ADDED = 8;
/** The longest unit whose repetition is weak: there are few units of up to this length to choose from. */
const LONGEST_UNIT = 8;
/** The shortest core that is looked up: shorter words are part of almost any text. */
const MIN_CORE = 4;

/**
 * Returns whether attackers try the password early: a password known from breaches, also with capitals, with signs for letters or with a
 * few digits around it; a short text repeated; or the e-mail address of the account. The contract checks the length. @gap D1-5
 */
export async function isWeakPassword(password: string, email: string): Promise<boolean> {
  const typed = password.normalize('NFKC').toLowerCase();
  const address = email.toLowerCase();
  if (isRepetition(typed) || typed === address || typed === address.split('@')[0]) return true;
  const known = await knownPasswords();
  return spellings(typed).some((spelling) => known.has(spelling));
}

/** Returns the spellings under which the list of known passwords may contain the password. */
function spellings(typed: string): string[] {
  const core = coreOf(typed);
  const isCore = core.length >= MIN_CORE && typed.length - core.length <= MAX_ADDED;
  return [typed, inLetters(typed), ...(isCore ? [core, inLetters(core)] : [])];
}

/** Whether the text is one short unit written several times: then it occurs in its own doubling before the end. */
function isRepetition(typed: string): boolean {
  const unit = `${typed}${typed}`.indexOf(typed, 1);
  return unit < typed.length && unit <= LONGEST_UNIT;
}

/** Returns the part from the first letter to the last. It is found without backtracking, because the password may be long. */
function coreOf(typed: string): string {
  const signs = [...typed];
  const first = signs.findIndex(isLetter);
  return first < 0 ? '' : signs.slice(first, signs.findLastIndex(isLetter) + 1).join('');
}

const isLetter = (sign: string) => /^\p{L}$/u.test(sign);
const inLetters = (text: string) => text.replace(SIGNS, (sign) => LETTERS[sign]!);
