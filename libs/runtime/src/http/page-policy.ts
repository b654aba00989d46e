import { createHash } from 'node:crypto';
import type { Page, RawFile } from '@codase/contracts';

/** What every page of ours gets: it is in no frame, no window of another site holds on to it, and it tells nobody where a reader was. */
export const PAGE_HEADERS = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The policy for a user's file of any type, HTML and SVG too: in a browser it runs nothing, loads nothing, has no origin. */
export const USER_FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** Nothing is allowed but what the rules behind this name. */
const NOTHING = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The policy of a page without scripts. Its only style is the one in its head, which is named by its hash. */
export function policyOfPage({ html, form_leads_to }: Pick<Page, 'html' | 'form_leads_to'>): string {
  const style = /^[^]*?<style>([^]*?)<\/style>[^]*?<\/head>/.exec(html)?.[1];
  // Browsers apply the rule for a form to its redirects too, so the address that the form leads back to has to be named.
  const targets = form_leads_to ? ["'self'", ...form_leads_to].join(' ') : "'none'";
  return [NOTHING, ...(style === undefined ? [] : [`style-src 'sha256-${hashOf(style)}'`]), `form-action ${targets}`].join('; ');
}

/**
 * The policy of a page or script of ours that is sent as a file. A page with scripts loads them, and its styles and images, from its own
 * host alone, and calls its own host and the named ones.
 */
export function policyOfOwnFile({ scripts_call }: Pick<RawFile, 'scripts_call'>): string {
  if (!scripts_call) return `${NOTHING}; form-action 'none'`;
  const rules = ["script-src 'self'", "style-src 'self'", "img-src 'self' data:", `connect-src ${["'self'", ...scripts_call].join(' ')}`];
  return [NOTHING, ...rules, "form-action 'none'"].join('; ');
}

/** The hashes of styles: all pages share one, so it is computed once. */
const hashes = new Map<string, string>();
const MAX_STYLES = 16;

function hashOf(style: string): string {
  const known = hashes.get(style) ?? createHash('sha256').update(style).digest('base64');
  if (hashes.size < MAX_STYLES) hashes.set(style, known);
  return known;
}
