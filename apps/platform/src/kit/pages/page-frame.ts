import { html, Markup } from './html.ts';

/** The style of a page: light or dark as the reader's system is set, readable at any width and zoom, with the focus always visible. */
const STYLE = new Markup(`
  :root { color-scheme: light dark; --line: #767676; --accent: #0b57d0; --on-accent: #fff; --alert: #b3261e; --good: #146c2e; }
  @media (prefers-color-scheme: dark) {
    :root { --line: #8e918f; --accent: #a8c7fa; --on-accent: #062e6f; --alert: #f2b8b5; --good: #8fd6a0; }
  }
  * { box-sizing: border-box; }
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
  main { max-width: 26rem; margin: 0 auto; padding: 2rem 1.25rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
  h2 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
  ul { margin: 0; padding-left: 1.25rem; }
  label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
  input { width: 100%; padding: .625rem; font: inherit; border: 1px solid var(--line); border-radius: .375rem; }
  .choice { font-weight: normal; }
  .choice input { width: auto; }
  button { width: 100%; margin-top: 1rem; padding: .75rem; font: inherit; font-weight: 600;
    border: 1px solid var(--accent); border-radius: .375rem; cursor: pointer; }
  button.yes { background: var(--accent); color: var(--on-accent); }
  button.no { background: transparent; color: inherit; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  .problem { border: 2px solid var(--alert); border-radius: .375rem; padding: .75rem 1rem; margin: 0 0 1rem; }
  .problem h2 { margin: 0 0 .25rem; color: var(--alert); }
  .problem p { margin: 0; }
  .good { border: 2px solid var(--good); border-radius: .375rem; padding: .75rem 1rem; margin: 0 0 1rem; }
  .good h2 { margin: 0 0 .25rem; color: var(--good); }
  .good p { margin: 0; }
  dl { margin: 0; }
  dt { font-weight: 600; margin-top: .5rem; }
  dd { margin: 0; }
  small { display: block; margin-top: 1.5rem; }
`);

/** A whole page. It runs no script and fetches nothing, so it works in any browser. With `reloads_seconds` it loads itself again. */
export const pageOf = (title: string, body: Markup, reloads_seconds?: number): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${reloads_seconds === undefined ? undefined : html`<meta http-equiv="refresh" content="${String(reloads_seconds)}" />`}
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `.text;

/** A box that says what went wrong. Screen readers read it out at once. */
export const problemBox = (title: string, text: string): Markup =>
  html`<div class="problem" role="alert">
    <h2>${title}</h2>
    <p>${text}</p>
  </div>`;
