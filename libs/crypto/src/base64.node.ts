import type { Bytes } from './bytes.ts';

/** As much of Node's Buffer as is used here, so that browser projects need no Node types. */
interface NodeBuffer {
  write(text: string, encoding: 'base64'): number;
  toString(encoding: 'base64'): string;
}

const { Buffer: node } = globalThis as { Buffer?: { from(buffer: ArrayBuffer): NodeBuffer } };

/**
 * Reads what its own bytes would be written as, and nothing else; false where the text is another. Some ten times as fast as one character
 * after the other, and holds the text twice for a moment. Undefined in a browser.
 */
export const nodeDecodeBase64 =
  node &&
  ((text: string, into: Bytes): boolean => {
    const view = node.from(into.buffer);
    view.write(text, 'base64');
    return view.toString('base64') === text;
  });
