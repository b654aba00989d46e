import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { CopiedBytes } from './copied-bytes.ts';

const message = (code: string, content: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(code), length, Buffer.from(content)]);
};

describe('CopiedBytes, which reads COPY data off a database connection', () => {
  it.each([1, 3, 7, 1000])('takes the COPY data from chunks of %i bytes, and leaves all other messages to the driver', (size) => {
    const [connection, seen] = [new EventEmitter(), [] as Buffer[]];
    connection.on('data', (chunk: Buffer) => seen.push(chunk));
    const bytes = new CopiedBytes(Buffer.alloc(100));
    const end = Buffer.concat([message('c', ''), message('C', 'COPY 1'), message('Z', 'I')]);
    const all = Buffer.concat([message('H', 'formats'), message('d', 'one, '), message('d', ''), message('d', 'two'), end]);

    bytes.takeFrom(connection as Readable);
    for (let from = 0; from < all.length; from += size) connection.emit('data', all.subarray(from, from + size));

    expect(bytes.taken?.toString()).toBe('one, two');
    expect(Buffer.concat(seen).equals(end)).toBe(true);
    expect(connection.listenerCount('data')).toBe(1);
  });

  it('takes nothing when the data is longer than its buffer', () => {
    const bytes = new CopiedBytes(Buffer.alloc(4));

    bytes.take(message('d', 'one, two'));

    expect(bytes.taken).toBeUndefined();
  });
});
