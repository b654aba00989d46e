import { part, PartCount, textAt, UnreadableImage } from './image-parts.ts';

/** A box of the file: its type, and where its content begins and ends. */
interface Box {
  type: string;
  /** Where the type is written. */
  typeAt: number;
  from: number;
  to: number;
}

/** One part of an item: from where its place is counted, and where it begins and ends. */
interface Extent {
  id: number;
  method: number;
  from: number;
  to: number;
}

/** Boxes of the file that hold the picture; each other box is emptied, such as the video that a camera adds, and unused space. */
const SHOWN_BOXES = ['ftyp', 'meta', 'mdat', 'moov'];
/** Boxes that describe a sequence of pictures, or a track of it. */
const DESCRIBING = ['udta', 'meta', 'uuid'];
/** Items that describe the picture: Exif, and XMP or other texts. */
const METADATA_ITEMS = ['Exif', 'mime', 'uri '];
/** An Exif item without any entry: how far away the TIFF is, and a TIFF. */
const EMPTY_EXIF = Buffer.from('000000004d4d002a00000008000000000000', 'hex');
/** No file has anything this far from its beginning. */
const NOWHERE = 2 ** 40;

/**
 * Writes over what describes the picture, in HEIC and AVIF. Nothing changes its place, since numbers in the file say where the parts of the
 * picture are. How the picture is turned is not said by Exif here.
 */
export function heifWithoutMetadata(given: Buffer): Buffer {
  return new HeifFile(Buffer.from(given)).bare();
}

class HeifFile {
  private readonly parts = new PartCount();

  constructor(private readonly file: Buffer) {}

  bare(): Buffer {
    const { boxes, end } = this.boxes();
    if (!boxes.some(({ type }) => type === 'meta' || type === 'moov')) throw new UnreadableImage();
    for (const box of boxes) {
      if (box.type === 'meta') this.wipeItems(box);
      else if (box.type === 'moov') this.wipeSequence(box);
      else if (!SHOWN_BOXES.includes(box.type)) this.empty(box);
    }
    return this.file.subarray(0, end);
  }

  /** Returns the boxes of the file. Bytes behind them that are no box are left out, once the picture is complete. */
  private boxes(): { boxes: Box[]; end: number } {
    const boxes: Box[] = [];
    let end = 0;
    while (end < this.file.length) {
      const box = this.boxAt(end, this.file.length);
      if (!box && boxes.some(({ type }) => type === 'mdat')) break;
      if (!box) throw new UnreadableImage();
      boxes.push(box);
      end = box.to;
    }
    return { boxes, end };
  }

  private boxesIn({ from, to }: Pick<Box, 'from' | 'to'>): Box[] {
    const boxes: Box[] = [];
    for (let at = from; at < to; at = boxes.at(-1)!.to) {
      const box = this.boxAt(at, to);
      if (!box) throw new UnreadableImage();
      boxes.push(box);
    }
    return boxes;
  }

  /** Reads the head of a box. Returns undefined when there is none, or the box does not end in time. */
  private boxAt(at: number, limit: number): Box | undefined {
    this.parts.next();
    if (at + 8 > limit) return undefined;
    const short = this.file.readUInt32BE(at);
    if (short === 1 && at + 16 > limit) return undefined;
    const [head, size] = short === 1 ? [16, Number(this.file.readBigUInt64BE(at + 8))] : [8, short === 0 ? limit - at : short];
    if (size < head || at + size > limit) return undefined;
    return { type: textAt(this.file, at + 4, 4), typeAt: at + 4, from: at + head, to: at + size };
  }

  /** Makes unused space out of a box. */
  private empty({ typeAt, from, to }: Box): void {
    this.file.write('free', typeAt, 'latin1');
    this.file.fill(0, from, to);
  }

  private emptyAll(boxes: readonly Box[], types: readonly string[]): void {
    for (const box of boxes) if (types.includes(box.type)) this.empty(box);
  }

  /** Empties what describes a sequence of pictures, as a whole and each track of it. */
  private wipeSequence(sequence: Box): void {
    const boxes = this.boxesIn(sequence);
    this.emptyAll(boxes, DESCRIBING);
    for (const track of boxes.filter(({ type }) => type === 'trak')) this.emptyAll(this.boxesIn(track), DESCRIBING);
  }

  /** Writes over the items that describe the picture. All of them together are at most as long as the file. */
  private wipeItems(meta: Box): void {
    const boxes = this.boxesIn({ from: meta.from + 4, to: meta.to });
    const types = new Map(boxes.filter(({ type }) => type === 'iinf').flatMap((box) => this.itemTypes(box)));
    const data = boxes.find(({ type }) => type === 'idat');
    let left = this.file.length;
    for (const extent of boxes.filter(({ type }) => type === 'iloc').flatMap((box) => [...this.extents(box)])) {
      const type = types.get(extent.id);
      if (type === undefined || !METADATA_ITEMS.includes(type)) continue;
      const content = this.contentOf(extent, data);
      left -= content.length;
      if (left < 0) throw new UnreadableImage();
      content.fill(type === 'Exif' ? 0 : ' ');
      if (type === 'Exif' && content.length >= EMPTY_EXIF.length) content.set(EMPTY_EXIF);
    }
    this.emptyAll(boxes, ['uuid']);
  }

  /** Returns the bytes of an extent, which is a part of the file or of the box `idat`. */
  private contentOf({ method, from, to }: Extent, data: Box | undefined): Buffer {
    if (method === 0) return part(this.file, from, to);
    if (method !== 1 || !data) throw new UnreadableImage();
    return part(this.file.subarray(data.from, data.to), from, to);
  }

  /** Reads which type each item has. */
  private itemTypes({ from, to }: Box): [number, string][] {
    const first = from + (this.file.readUInt8(from) === 0 ? 6 : 8);
    return this.boxesIn({ from: first, to }).flatMap((entry): [number, string][] => {
      const version = this.file.readUInt8(entry.from);
      if (entry.type !== 'infe' || version < 2) return [];
      const isShort = version === 2;
      const id = isShort ? this.file.readUInt16BE(entry.from + 4) : this.file.readUInt32BE(entry.from + 4);
      return [[id, textAt(this.file, entry.from + (isShort ? 8 : 10), 4)]];
    });
  }

  /** Reads where the items are. */
  private *extents({ from, to }: Box): Iterable<Extent> {
    const box = part(this.file, 0, to);
    const version = box.readUInt8(from);
    const [sizes, bases] = [box.readUInt8(from + 4), box.readUInt8(from + 5)];
    const [offsetSize, lengthSize, baseSize] = [sizes >> 4, sizes & 15, bases >> 4];
    const indexSize = version === 0 ? 0 : bases & 15;
    const idSize = version < 2 ? 2 : 4;
    let at = from + 6;
    const number = (size: number): number => {
      const value = size === 0 ? 0 : size === 8 ? Number(box.readBigUInt64BE(at)) : box.readUIntBE(at, size);
      at += size;
      if (value > NOWHERE) throw new UnreadableImage();
      return value;
    };
    for (let items = number(idSize); items > 0; items--) {
      this.parts.next();
      const id = number(idSize);
      const method = version === 0 ? 0 : number(2) & 15;
      number(2); // in which file the item is; one of another file is not shown
      const base = number(baseSize);
      for (let extents = number(2); extents > 0; extents--) {
        this.parts.next();
        number(indexSize);
        const start = base + number(offsetSize);
        const length = number(lengthSize);
        yield { id, method, from: start, to: lengthSize === 0 ? NOWHERE : start + length };
      }
    }
  }
}
