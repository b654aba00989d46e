import { BODY_DEPTH, BODY_VALUES, Refusal } from '@codase/contracts';
import { readXml, writeXml } from './xml.ts';
import type { FastifyRequest } from 'fastify';

/** The wire formats a structured body travels in. @spec D1-4 */
export interface Format {
  type: string;
  accepts: readonly string[];
  read(body: Buffer, schema?: unknown): unknown;
  write(value: unknown): string;
}

export const JSON_FORMAT: Format = {
  type: 'application/json; charset=utf-8',
  accepts: ['application/json'],
  read: (body) => readJson(text(body)),
  write: (value) => JSON.stringify(value ?? null),
};

export const XML_FORMAT: Format = {
  type: 'application/xml; charset=utf-8',
  accepts: ['application/xml', 'text/xml'],
  read: (body, schema) => readXml(text(body), schema),
  write: (value) => writeXml(value),
};

const FORMATS = [JSON_FORMAT, XML_FORMAT];

/** The format of a body by its Content-Type; undefined when it is neither. */
export const formatOf = (contentType: string | undefined): Format | undefined => {
  const [type = ''] = (contentType ?? '').split(';');
  return FORMATS.find(({ accepts }) => accepts.includes(type.trim().toLowerCase()));
};

/** The format to answer in: the best that Accept allows, JSON without such a header; undefined when it allows neither. */
export function negotiate(accept: string | undefined): Format | undefined {
  if (!accept?.trim() || accept === 'application/json') return JSON_FORMAT;
  const wishes = accept
    .split(',')
    .map(wish)
    .filter(({ quality }) => quality > 0);
  wishes.sort((a, b) => b.quality - a.quality);
  for (const { range } of wishes) {
    const format = FORMATS.find(({ accepts }) => accepts.some((type) => covers(range, type)));
    if (format) return format;
  }
  return prefersHtml(accept) ? JSON_FORMAT : undefined;
}

function wish(part: string): { range: string; quality: number } {
  const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { range, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** Whether the caller is a browser: it prefers a page to either format. */
export const prefersHtml = (accept: string | undefined): boolean => {
  const wishes = (accept ?? '')
    .split(',')
    .map(wish)
    .filter(({ quality }) => quality > 0);
  const best = Math.max(...wishes.map(({ quality }) => quality));
  return wishes.some(({ range, quality }) => range === 'text/html' && quality === best);
};

const covers = (range: string, type: string) =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));

function text(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Refusal('request.invalid').because('body: must be UTF-8');
  }
}

function readJson(source: string): unknown {
  checkBounds(source);
  try {
    return JSON.parse(source);
  } catch {
    throw new Refusal('request.invalid').because('body: must be JSON');
  }
}

/**
 * Refuses a text that nests too deep, because code that walks a deep value would run out of stack, or that has too many values, because
 * short values take many times their length of memory. Both are counted before parsing. Each value but the first stands behind a bracket or
 * a comma, so there are at most as many values; brackets and commas inside strings do not count.
 */
function checkBounds(source: string): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < source.length; i++) {
    const c = source.charCodeAt(i);
    if (inString) {
      if (c === BACKSLASH) i++;
      else if (c === QUOTE) inString = false;
    } else if (c === QUOTE) inString = true;
    else if (c === COMMA || c === OPEN_BRACKET || c === OPEN_BRACE) {
      if (++values > BODY_VALUES) throw new Refusal('request.invalid').because(`body: must hold at most ${BODY_VALUES} values`);
      if (c !== COMMA && ++depth > BODY_DEPTH)
        throw new Refusal('request.invalid').because(`body: must nest at most ${BODY_DEPTH} levels deep`);
    } else if (c === CLOSE_BRACKET || c === CLOSE_BRACE) depth--;
  }
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE, COMMA] = [...'"\\[]{},'].map((c) => c.charCodeAt(0));

declare module 'fastify' {
  interface FastifyRequest {
    /** The format of the answer; null until it was negotiated. */
    answerFormat: Format | null;
  }
}

/** The format in which a request is answered. */
export const formatFor = (request: FastifyRequest): Format => request.answerFormat ?? JSON_FORMAT;
