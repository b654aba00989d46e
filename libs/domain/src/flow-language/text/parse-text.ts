import { LIMITS } from '../definition/limits.ts';
import { withoutHtml } from './html.ts';

/** A piece of an element's text. It is a tree and never a string of HTML, so nothing in it can be mistaken for a tag. */
export type TextNode =
  | { kind: 'text'; text: string }
  | { kind: 'value'; key: string }
  | { kind: 'bold' | 'italic'; children: TextNode[] }
  | { kind: 'link'; href: string; children: TextNode[] };

/** The address of a link: one of three schemes, and nothing that ends an attribute or hides its target. @spec D2-2.6 @gap D2-2.6 */
const ADDRESS = /^(?:https|mailto|tel):[^\s\p{C}\p{Z}<>"`{}[\]\\]+$/u;
const ADDRESS_LENGTH = 2_048;

const TOKEN = new RegExp(
  [
    String.raw`\\(?<escaped>[[\]{\\])`,
    String.raw`\[(?<close>/)?(?<style>[bi])\]`,
    String.raw`\[a href=(?<href>[^[\]\s]+)\]`,
    String.raw`(?<closeLink>\[/a\])`,
    String.raw`\{\{(?<key>[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*){0,2})\}\}`,
  ].join('|'),
  'g',
);

/** An open [b], [i] or [a], or the whole text (with an empty name). Of a link whose address is not allowed, only the children remain. */
interface Frame {
  name: 'b' | 'i' | 'a' | '';
  href?: string;
  children: TextNode[];
}

/**
 * Reads markup. A tag that is not closed ends with the text. A closing tag also ends the tags that were opened inside. A closing tag
 * without an opening one, a link inside a link, and nesting beyond the limit stay as written. @spec D2-2.6 @gap D2-2.6
 */
export function parseText(source: string): TextNode[] {
  const text = withoutHtml(source.slice(0, LIMITS.text));
  const stack: Frame[] = [{ name: '', children: [] }];
  let end = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    write(stack, text.slice(end, match.index));
    end = match.index + match[0].length;
    take(stack, match[0], match.groups!);
  }
  write(stack, text.slice(end));
  while (stack.length > 1) closeTop(stack);
  return stack[0]!.children;
}

function take(stack: Frame[], token: string, { escaped, close, style, href, closeLink, key }: Record<string, string | undefined>): void {
  if (escaped) write(stack, escaped);
  else if (key) stack.at(-1)!.children.push({ kind: 'value', key });
  else if (href) open(stack, token, { name: 'a', href, children: [] });
  else if (close || closeLink) closeNearest(stack, token, style ?? 'a');
  else open(stack, token, { name: style as 'b' | 'i', children: [] });
}

function write(stack: Frame[], text: string): void {
  const { children } = stack.at(-1)!;
  const last = children.at(-1);
  if (last?.kind === 'text') last.text += text;
  else if (text) children.push({ kind: 'text', text });
}

function open(stack: Frame[], token: string, frame: Frame): void {
  const nestedLink = frame.name === 'a' && stack.some(({ name }) => name === 'a');
  if (nestedLink || stack.length > LIMITS.text_levels) write(stack, token);
  else stack.push(frame);
}

function closeNearest(stack: Frame[], token: string, wanted: string): void {
  const depth = stack.findLastIndex(({ name }) => name === wanted);
  if (depth < 0) write(stack, token);
  else while (stack.length > depth) closeTop(stack);
}

function closeTop(stack: Frame[]): void {
  const { name, href, children } = stack.pop()!;
  const parent = stack.at(-1)!.children;
  if (name !== 'a') parent.push({ kind: name === 'b' ? 'bold' : 'italic', children });
  else if (isAddress(href!)) parent.push({ kind: 'link', href: href!, children });
  else parent.push(...children);
}

/** Whether a link may have this address. @spec D2-2.6 */
export const isAddress = (href: string): boolean => href.length <= ADDRESS_LENGTH && ADDRESS.test(href);
