/** The names of glyphs that a tag can have, and of the ligatures that hide its letters. Adobe Glyph List. */
const NAMES: Readonly<Record<string, string>> = {
  space: ' ',
  nbspace: ' ',
  braceleft: '{',
  braceright: '}',
  underscore: '_',
  period: '.',
  hyphen: '-',
  minus: '-',
  sfthyphen: '-',
  comma: ',',
  colon: ':',
  semicolon: ';',
  slash: '/',
  parenleft: '(',
  parenright: ')',
  quoteright: '’',
  quoteleft: '‘',
  endash: '–',
  emdash: '—',
  germandbls: 'ß',
  fi: 'fi',
  fl: 'fl',
  ff: 'ff',
  ffi: 'ffi',
  ffl: 'ffl',
};
const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const KNOWN = new Map([...Object.entries(NAMES), ...DIGITS.map((name, digit) => [name, String(digit)] as const)]);

const ACCENTS = new Map([
  ['grave', '\u0300'],
  ['acute', '\u0301'],
  ['circumflex', '\u0302'],
  ['tilde', '\u0303'],
  ['dieresis', '\u0308'],
  ['ring', '\u030a'],
  ['caron', '\u030c'],
  ['cedilla', '\u0327'],
]);

/** Returns the text that a glyph's name means (`braceleft`, `eacute`, `uni007B`, `f_i`, `a.alt`), or an empty text when it is not known. */
export function textOfGlyph(name: string): string {
  const [base = ''] = name.slice(0, 64).split('.');
  const parts = base.split('_').map(textOfPart);
  return parts.includes('') ? '' : parts.join('');
}

function textOfPart(name: string): string {
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  if (/^[A-Za-z]$/.test(name)) return name;
  if (/^uni([0-9A-F]{4})+$/.test(name)) return Buffer.from(name.slice(3), 'hex').swap16().toString('utf16le');
  if (/^u[0-9A-F]{4,6}$/.test(name)) return codePoint(Number.parseInt(name.slice(1), 16));
  const accent = /^[A-Za-z]/.test(name) ? ACCENTS.get(name.slice(1)) : undefined;
  return accent === undefined ? '' : (name[0]! + accent).normalize('NFC');
}

const codePoint = (value: number) => (value <= 0x10ffff ? String.fromCodePoint(value) : '');
