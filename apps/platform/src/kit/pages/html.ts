/** Text that is already markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | Markup | readonly Markup[] | undefined;

/** Builds markup from a template: html`<p>${name}</p>`. Every text is escaped. Markup, and a list of markup, is inserted as it is. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Markup =>
  new Markup(parts.reduce((text, part, i) => `${text}${written(pieces[i - 1])}${part}`));

const written = (piece: Piece): string => {
  if (piece === undefined) return '';
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (character) => ESCAPED[character]!);
  return piece instanceof Markup ? piece.text : piece.map(({ text }) => text).join('');
};

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
