import { z } from 'zod';
import type { PlainKey } from './errors.ts';
import { expects, fails } from './fails.ts';
import { IDEMPOTENCY_KEY, NAME_CHARS, SERVICE_CODE_CHARS } from './limits.ts';
import { named } from './named.ts';

/** The patterns that documents show, by the source of the exact pattern that each one replaces. */
export const PORTABLE_PATTERNS = new Map<string, string>();

/**
 * Registers which pattern the OpenAPI document shows for a pattern that only ECMAScript can compile. RE2 and Python can compile the
 * portable one too. It may accept more than the exact one, never less.
 */
export function documentedAs(portable: RegExp, exact: RegExp): RegExp {
  PORTABLE_PATTERNS.set(exact.source, portable.source);
  return exact;
}

/** A moment, with its offset. @spec D1-2.10 */
export const Timestamp = named('Timestamp', z.iso.datetime({ offset: true }));
/** A calendar day, YYYY-MM-DD. */
export const Day = named('Day', z.iso.date());
/** A SHA-256 in lowercase hex. @spec D1-2.12 */
export const Sha256 = named('Sha256', z.string().regex(/^[0-9a-f]{64}$/, expects('must be a SHA-256 as 64 lowercase hex digits')));
/** The type of a customer, or of the customers that something is for. @spec D1-2.7 */
export const CustomerType = z.enum(['person', 'company']);

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** An id that the platform issued: unguessable, of one alphabet, usable as a subject token. @gap D1-4 */
export const Id = named('Id', z.string().regex(ID, expects('must be an id: 1 to 64 letters, digits, _ and -')));
/** An id in a path. An id that cannot exist is answered as not found, like one that does not exist. */
export const idOr = (key: PlainKey) => z.string(fails(key)).regex(ID, fails(key));

/** The trace context of an event, as W3C writes it. */
export const Traceparent = z.string().regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);

/** A key that a user chooses. It has no dot and no colon, since longer keys are built with these. @gap D2-2.2 */
export const SLUG = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const Slug = z.string().regex(SLUG, expects('must be 1 to 64 letters, digits, _ and -, the first of them a letter'));

// oxlint-disable-next-line no-control-regex -- control characters are what a line must not hold
const LINE = documentedAs(/^[^\x00-\x1f\x7f]+$/, /^(?=.*\S)[^\u0000-\u001f\u007f\p{Cs}]*$/u);
const LINE_FORM = `must be one line of text, of 1 to ${NAME_CHARS} characters and not blank`;
/** One line of text that is not blank, without control characters and halves of surrogate pairs. @gap D1-8 */
export const Line = z.string().max(NAME_CHARS).regex(LINE, expects(LINE_FORM));
/** The same, refused with the key that the catalogue has for it. */
export const lineOr = (key: PlainKey) =>
  z.string(fails(key, LINE_FORM)).max(NAME_CHARS, fails(key, LINE_FORM)).regex(LINE, fails(key, LINE_FORM));

/** Text that can be stored as it came: a NUL cannot be stored, and half of a character would become another one. */
// oxlint-disable-next-line no-control-regex -- a NUL is what the text must not hold
export const TEXT = documentedAs(/^[^\x00]*$/, /^[^\u0000\p{Cs}]*$/u);
/** Returns a code or digits as they are meant, however they were typed: in groups, and in small letters. */
export const withoutGroups = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

/** Text of any number of lines. */
export const text = (most: number) => z.string().max(most).regex(TEXT, expects('must hold no NUL and no half of a character'));

// oxlint-disable-next-line no-control-regex -- a NUL is what the text must not hold
const KEY = documentedAs(/^[^\x00]*[^\x00\t\n\r ][^\x00]*$/, /^(?=[^]*\S)[^\u0000\p{Cs}]*$/u);
const KEY_FORM = `must be text of 1 to ${IDEMPOTENCY_KEY.chars} characters that is not blank`;
/** A key that lets a caller repeat a request whose answer was lost. A blank one is a mistake of the caller, such as an empty variable. */
export const IdempotencyKey = z.string().min(1).max(IDEMPOTENCY_KEY.chars).regex(KEY, expects(KEY_FORM));
/** The same, refused with the key that the catalogue has for it. */
export const idempotencyKeyOr = (key: PlainKey) =>
  z.string(fails(key)).min(1, fails(key)).max(IDEMPOTENCY_KEY.chars, fails(key)).regex(KEY, fails(key, KEY_FORM));

/** An e-mail address, checked by its form: only a mail can show whether it exists. */
export const emailOr = (key: PlainKey) => z.email(fails(key)).max(254, fails(key));

/** The code by which others find a person or a company. @gap D1-2.7 */
export const ShareCode = z.string().regex(/^[A-Z0-9]{1,16}$/, expects('must be 1 to 16 characters of A-Z and 0-9'));
const SERVICE_CODE = new RegExp(`^[A-Z0-9]{1,${SERVICE_CODE_CHARS}}$`);
/** A service's own code. @spec D1-2.4 @spec D1-8 */
export const ServiceCode = z.string(fails('services.share_code_invalid')).regex(SERVICE_CODE, fails('services.share_code_invalid'));

/** An absolute address to which a browser is sent back. */
export const redirectUriOr = (key: PlainKey) => z.string(fails(key)).max(2048, fails(key)).refine(isRedirectUri, fails(key));
/**
 * The same for a sign-in app. A code travels to it, so `http` is for the machine of the browser alone. The host is written as it is read,
 * and nobody is named before it: a person who reads the address sees where it leads. @gap D1-4.6
 */
export const appRedirectUriOr = (key: PlainKey) => redirectUriOr(key).refine(isSafeForCodes, fails(key));

function isRedirectUri(address: string): boolean {
  // Visible ASCII: a parser drops line breaks, and an address with other characters cannot stand in a header.
  if (!/^[\x21-\x7e]+$/.test(address) || !URL.canParse(address) || address.includes('#')) return false;
  const { protocol, host } = new URL(address);
  // The own scheme of a phone's app needs no host. A scheme that would run or read something in the browser is refused.
  if (protocol === 'https:' || protocol === 'http:') return host !== '';
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol);
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const HOST_NAME = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

function isSafeForCodes(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  if (protocol !== 'https:' && protocol !== 'http:') return true;
  const isAsRead = address.toLowerCase().startsWith(`${protocol}//${hostname}`);
  return isAsRead && (LOOPBACK.includes(hostname) || (protocol === 'https:' && HOST_NAME.test(hostname)));
}
