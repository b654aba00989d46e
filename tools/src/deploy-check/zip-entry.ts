import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;

export function zipEntry(zip: Buffer, name: string): Buffer | undefined {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== END_OF_DIRECTORY) end -= 1;
  if (end < 0) throw new Error('This is no zip archive: it has no directory at its end.');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0 && zip.readUInt32LE(at) === DIRECTORY_ENTRY; left -= 1) {
    const [nameLength, extraLength, commentLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) return contentOf(zip, at);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return undefined;
}

function contentOf(zip: Buffer, entry: number): Buffer {
  const [method, length, header] = [zip.readUInt16LE(entry + 10), zip.readUInt32LE(entry + 20), zip.readUInt32LE(entry + 42)];
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const packed = zip.subarray(start, start + length);
  return method === 0 ? packed : inflateRawSync(packed);
}
