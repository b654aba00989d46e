import type { ServerSentEvent } from './event-stream.ts';

/** The longest event that is read, in characters. */
const MAX_CHARS = 1024 * 1024;

/** Reads server-sent events from the bytes of an answer. Comments, and fields that our servers do not write, are skipped. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop()!;
    if (text.length > MAX_CHARS) throw new Error('an event is longer than this client reads');
    for (const block of blocks) {
      const event = readBlock(block);
      if (event) yield event;
    }
  }
}

function readBlock(block: string): ServerSentEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([a-z]+):? ?(.*)$/.exec(line) ?? [];
    if (name === 'data' && fields['data'] !== undefined) fields['data'] += `\n${value}`;
    else if (name !== undefined) fields[name] = value!;
  }
  const { id = '', event = 'message', data } = fields;
  return data === undefined ? undefined : { id, event, data: JSON.parse(data) as unknown };
}
