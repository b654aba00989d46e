import { DOCUMENT_PAGES, FILE_NAME_CHARS, TEXT_CHARS } from './limits.ts';

/** The reasons for which a value is refused. A message names the rule, never the value, because it may be logged. */
export const REASONS = {
  not_text: 'must be a string',
  not_characters: 'must hold no NUL and no half of a character',
  too_long: `must be at most ${TEXT_CHARS} characters long`,
  not_a_date: 'must be a calendar date, written YYYY-MM-DD',
  not_a_country: 'must be an assigned ISO 3166-1 code of two capital letters',
  not_a_state: 'must be a USPS state code of two capital letters',
  not_a_phone: 'must be a phone number of 4 to 15 digits',
  not_a_list: 'must be an array of strings',
  not_an_option: 'must be one of the options of the type',
  repeated: 'must not name an option twice',
  not_an_object: 'must be an object',
  unknown_key: 'must hold no key but those the type declares',
  missing: 'must not be missing or empty',
  not_a_file: 'must be a data URI in base64 that agrees with mime_type and size',
  not_a_file_name: `must be a name of 1 to ${FILE_NAME_CHARS} characters`,
  not_an_image: 'must be a JPEG, PNG, WebP, AVIF, HEIC or GIF image, by its bytes and by mime_type',
  not_pages: `must hold 1 to ${DOCUMENT_PAGES} pages`,
  not_a_url: 'must be an http or https address with a host and without credentials',
  not_a_card: 'must be a card number of 12 to 19 digits with a right check digit',
  not_a_number: 'must be a finite number',
  not_an_integer: 'must be an integer',
  not_a_decimal: 'must be a number of up to 8 digits before the point and up to 2 behind it',
  not_a_float: 'must be a number, with a point or an exponent where needed',
  not_a_pdf: 'must be a PDF file',
  not_a_plugin_answer: 'must be a string that holds a JSON object',
  mismatch: 'must match the pattern of the type',
} as const;

/** The stable name of a refusal. */
export type ReasonCode = keyof typeof REASONS;

/** Why and where a value is refused. The path is empty for the value itself, or leads into it: `expiry_date`, `pages.1.file`. */
export interface Reason {
  readonly code: ReasonCode;
  readonly path: string;
  readonly message: string;
}

/** The result of validating a value: its normalised form, or the first rule that it breaks. */
export type Verdict = { readonly ok: true; readonly normalised: unknown } | { readonly ok: false; readonly reason: Reason };

/** Returns a reason with its message from `REASONS`. */
export const reason = (code: ReasonCode, path = ''): Reason => ({ code, path, message: REASONS[code] });

/** Returns the same reason with the key of the enclosing value before its path. */
export const below = (key: string | number, { path, ...why }: Reason): Reason => ({
  ...why,
  path: path === '' ? `${key}` : `${key}.${path}`,
});
