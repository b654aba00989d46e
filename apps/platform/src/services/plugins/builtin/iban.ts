/** The basic bank account number (BBAN) of a country: its form, and the position of the bank code in it. */
interface Form {
  bban: RegExp;
  bank: readonly [from: number, to: number];
}

const form = (bban: string, to: number, from = 0): Form => ({ bban: new RegExp(`^${bban}$`), bank: [from, to] });
const C = '[0-9A-Z]';

/** The countries of SEPA, by the registry of IBANs (ISO 13616). */
const FORMS: Readonly<Record<string, Form>> = {
  AD: form(`\\d{8}${C}{12}`, 4),
  AT: form('\\d{16}', 5),
  BE: form('\\d{12}', 3),
  BG: form(`[A-Z]{4}\\d{6}${C}{8}`, 4),
  CH: form(`\\d{5}${C}{12}`, 5),
  CY: form(`\\d{8}${C}{16}`, 3),
  CZ: form('\\d{20}', 4),
  DE: form('\\d{18}', 8),
  DK: form('\\d{14}', 4),
  EE: form('\\d{16}', 2),
  ES: form('\\d{20}', 4),
  FI: form('\\d{14}', 3),
  FR: form(`\\d{10}${C}{11}\\d{2}`, 5),
  GB: form('[A-Z]{4}\\d{14}', 4),
  GI: form(`[A-Z]{4}${C}{15}`, 4),
  GR: form(`\\d{7}${C}{16}`, 3),
  HR: form('\\d{17}', 7),
  HU: form('\\d{24}', 3),
  IE: form('[A-Z]{4}\\d{14}', 4),
  IS: form('\\d{22}', 2),
  IT: form(`[A-Z]\\d{10}${C}{12}`, 6, 1),
  LI: form(`\\d{5}${C}{12}`, 5),
  LT: form('\\d{16}', 5),
  LU: form(`\\d{3}${C}{13}`, 3),
  LV: form(`[A-Z]{4}${C}{13}`, 4),
  MC: form(`\\d{10}${C}{11}\\d{2}`, 5),
  MT: form(`[A-Z]{4}\\d{5}${C}{18}`, 4),
  NL: form('[A-Z]{4}\\d{10}', 4),
  NO: form('\\d{11}', 4),
  PL: form('\\d{24}', 8),
  PT: form('\\d{21}', 4),
  RO: form(`[A-Z]{4}${C}{16}`, 4),
  SE: form('\\d{20}', 3),
  SI: form('\\d{15}', 5),
  SK: form('\\d{20}', 4),
  SM: form(`[A-Z]\\d{10}${C}{12}`, 6, 1),
  VA: form('\\d{18}', 3),
};

interface Iban {
  /** In groups of four, as people read it. */
  iban: string;
  country_code: string;
  bank_code: string;
}

/** Reads an IBAN, whatever spaces it has; undefined when it is not valid, or its country is not in the list. */
export function readIban(text: string): Iban | undefined {
  const written = text.replace(/[\s-]/g, '').toUpperCase();
  const [, country_code = '', digits = '', bban = ''] = /^([A-Z]{2})(\d{2})([0-9A-Z]{11,30})$/.exec(written) ?? [];
  const form = Object.hasOwn(FORMS, country_code) ? FORMS[country_code] : undefined;
  if (!form?.bban.test(bban) || remainder(`${bban}${country_code}${digits}`) !== 1) return undefined;
  return { iban: written.replace(/(.{4})(?=.)/g, '$1 '), country_code, bank_code: bban.slice(...form.bank) };
}

/** Returns the number that the text makes, modulo 97. A counts as 10 and Z as 35 (ISO 7064). */
const remainder = (text: string): number => {
  const digits = [...text].map((letter) => String(Number.parseInt(letter, 36))).join('');
  return Number(BigInt(digits) % 97n);
};
