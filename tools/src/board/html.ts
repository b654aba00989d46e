/** Markup that is safe to put into a page. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[];

/** A template of markup: every value is escaped unless it is markup itself. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.reduce((page, text, i) => page + written(parts[i - 1]!) + text));

const written = (part: Part): string =>
  part instanceof Html ? part.text : Array.isArray(part) ? part.map(({ text }: Html) => text).join('') : escaped(String(part));

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign]!);
