import type { Figure, State, Waiting } from './five-numbers.ts';
import type { Bar, Stretch, TraceSummary } from './traces-of-events.ts';

/** Markup that is safe to put into a page. */
class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[];

/** A template of markup: every value is escaped unless it is markup itself. */
const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.reduce((page, text, i) => page + written(parts[i - 1]!) + text));

const written = (part: Part): string =>
  part instanceof Html ? part.text : Array.isArray(part) ? part.map(({ text }: Html) => text).join('') : escaped(String(part));

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign]!);

const STATES: Readonly<Record<State, string>> = { well: 'well', look: 'take a look', bad: 'not well' };
const PLATFORM = /^(front-door|region-|delivery|forwarder)/;
const SUITE = /^(gateway|feed-consumer|decryptor|flows|twofa)/;

/** A whole page. A live page reloads itself every few seconds. */
const page = (title: string, body: Html, isLive: boolean): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${isLive ? html`<meta http-equiv="refresh" content="5" />` : ''}
        <title>${title}</title>
        <link rel="stylesheet" href="/board.css" />
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html>`.text;

/** The five numbers, what waits, and the newest events. */
export const boardPage = (
  figures: readonly Figure[],
  waits: readonly Waiting[],
  traces: readonly TraceSummary[],
  minutes: number,
): string =>
  page(
    figures.every(({ state }) => state === 'well') ? 'Well: Company Data Service' : 'Not well: Company Data Service',
    html`<h1>Is it well?</h1>
      <p class="quiet">Of the last ${minutes} minutes, or since the start. The page renews itself.</p>
      <ul class="figures">
        ${figures.map(figure)}
      </ul>
      <h2>What waits</h2>
      ${waitsTable(waits)}
      <h2>The newest events</h2>
      ${tracesTable(traces)}`,
    true,
  );

const figure = ({ title, value, state, says }: Figure) =>
  html`<li class="${state}">
    <h3>${title}</h3>
    <p class="value">${value}</p>
    <p class="state">${STATES[state]}</p>
    <p>${says}</p>
  </li>`;

const waitsTable = (waits: readonly Waiting[]) =>
  waits.length
    ? html`<table>
        <tr>
          <th>What</th>
          <th>Where</th>
          <th class="number">Oldest</th>
        </tr>
        ${waits.map(waitRow)}
      </table>`
    : html`<p>No service said yet what waits. The first figures come some seconds after the start.</p>`;

const waitRow = ({ what, where, seconds }: Waiting) =>
  html`<tr>
    <td>${what}</td>
    <td>${where}</td>
    <td class="number">${seconds.toFixed(1)} s</td>
  </tr>`;

const tracesTable = (traces: readonly TraceSummary[]) =>
  traces.length
    ? html`<table>
        <tr>
          <th>At</th>
          <th>Began with</th>
          <th>Through</th>
          <th class="number">Took</th>
        </tr>
        ${traces.map(traceRow)}
      </table>`
    : html`<p>No event has been handled yet. Make one: <code>npm run codase -- trigger</code></p>`;

const traceRow = ({ trace_id, began, at_ms, took_ms, services, failed }: TraceSummary) =>
  html`<tr>
    <td><a href="/events/${trace_id}">${new Date(at_ms).toISOString().slice(11, 23)}</a></td>
    <td>${began}${failed ? html` <strong class="bad">failed</strong>` : ''}</td>
    <td>${services.join(', ')}</td>
    <td class="number">${took_ms.toFixed(0)} ms</td>
  </tr>`;

export const tracePage = (bars: readonly Bar[]): string =>
  page(
    'The trace of an event',
    html`<p><a href="/">Is it well?</a></p>
      <h1>The trace of an event</h1>
      <p class="quiet">Violet is the platform, green the suite, orange the company. Ticks below a bar are statements of its database.</p>
      <ol class="bars">
        ${bars.map(bar)}
      </ol>`,
    false,
  );

const bar = ({ span, depth, statements, ...stretch }: Bar) =>
  html`<li class="${planeOf(span.service)}${span.failed ? ' failed' : ''}">
    <span class="label indent-${Math.min(depth, 12)}">${span.service} ${span.name}${span.failed ? ' (failed)' : ''}</span>
    <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
      ${drawn(stretch, 0, 10)}${statements.map((one) => drawn(one, 12, 4))}
    </svg>
    <span class="number">${(span.end_ms - span.start_ms).toFixed(1)} ms</span>
    <span class="number quiet">${statements.length ? `${statements.length} statements` : ''}</span>
  </li>`;

/** Draws a stretch at least 2 units wide, so that a very short one is visible too. */
const drawn = ({ start, width }: Stretch, y: number, height: number) =>
  html`<rect x="${(start * 1000).toFixed(1)}" y="${y}" width="${Math.max(width * 1000, 2).toFixed(1)}" height="${height}" />`;

const planeOf = (service: string) => (PLATFORM.test(service) ? 'platform' : SUITE.test(service) ? 'suite' : 'company');

/** The page for an unknown address, or for a trace that is no longer kept. */
export const nothingPage = (): string =>
  page(
    'Not here',
    html`<h1>Not here</h1>
      <p>There is no such page, or its trace was too old to keep. <a href="/">Is it well?</a></p>`,
    false,
  );
