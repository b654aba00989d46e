import { checkSize, part, PartCount, textAt, UnreadableImage } from './image-parts.ts';

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

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** The name that the file itself has among the boxes that hold others. */
const FILE = '';
/** The boxes that show a picture, by the box that they are in. Each other box is emptied: videos, texts, and unused space. */
const SHOWN = new Map([
  [FILE, words('ftyp meta mdat moov')],
  ['meta', words('hdlr pitm iinf iloc iref iprp idat dinf grpl')],
  ['iprp', words('ipco ipma')],
  ['moov', words('mvhd trak mvex')],
  ['trak', words('tkhd tref edts mdia')],
  ['mdia', words('mdhd hdlr minf')],
  ['minf', words('vmhd nmhd dinf stbl')],
  ['stbl', words('stsd stts ctts cslg stss stsh stsc stsz stz2 stco co64 sdtp sgpd sbgp subs saiz saio padb')],
]);
/** The boxes of which there may be several in one box. */
const SEVERAL = words('mdat trak ipma sgpd sbgp subs saiz saio');

/** The properties of items that say how a picture is coded, and how it is shown. Others are texts, times, and numbers of the camera. */
const PICTURE_PROPERTIES = words(
  'hvcC lhvC av1C avcC vvcC jpgC j2kH uncC cmpd cpal cloc a1op a1lx lsel oinf tols subs ' +
    'ispe pixi pasp clap irot imir iscl rloc rref rrtp auxC mskC colr clli mdcv cclv amve reve ndwt',
);
/** The items that are a picture, or a part of one. Others describe it: Exif, XMP and other texts. */
const PICTURE_ITEMS = words('hvc1 lhv1 hvt1 av01 avc1 vvc1 jpeg j2k1 unci mski grid iovl iden tmap sato');

/** An Exif item without any entry: how far away the TIFF is, and a TIFF. */
const EMPTY_EXIF = Buffer.from('000000004d4d002a00000008000000000000', 'hex');
/** Where the name of a program begins in the box `hdlr`. */
const HANDLER_NAME_AT = 24;
/** No file has anything this far from its beginning. */
const NOWHERE = 2 ** 40;

/**
 * Writes over what does not show the picture, in HEIC and AVIF. Nothing changes its place, since numbers in the file say where the parts of
 * the picture are. How the picture is turned is not said by Exif here.
 */
export function heifWithoutMetadata(given: Buffer): Buffer {
  return new HeifFile(Buffer.from(given)).bare();
}

class HeifFile {
  private readonly parts = new PartCount();

  constructor(private readonly file: Buffer) {}

  bare(): Buffer {
    const { boxes, end } = this.boxes();
    const meta = boxes.find(({ type }) => type === 'meta');
    if (!meta && !boxes.some(({ type }) => type === 'moov')) throw new UnreadableImage();
    this.wipe(FILE, boxes);
    if (meta) this.wipeItems(this.boxesIn(meta));
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

  /** Returns the boxes in a box. In `meta` they begin behind a version. */
  private boxesIn({ type, from, to }: Pick<Box, 'type' | 'from' | 'to'>): Box[] {
    const boxes: Box[] = [];
    for (let at = type === 'meta' ? from + 4 : from; at < to; at = boxes.at(-1)!.to) {
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

  /** Empties the boxes that do not show the picture, and writes over what the others say besides. */
  private wipe(parent: string, boxes: readonly Box[]): void {
    const shown = SHOWN.get(parent)!;
    const seen = new Set<string>();
    for (const box of boxes) {
      if (!shown.has(box.type)) {
        this.empty(box);
        continue;
      }
      // Readers differ in which of two boxes they take, and each of many could name the same bytes to write over.
      if (seen.has(box.type) && !SEVERAL.has(box.type)) throw new UnreadableImage();
      seen.add(box.type);
      if (SHOWN.has(box.type)) this.wipe(box.type, this.boxesIn(box));
      else this.wipeContent(box);
    }
  }

  /** Makes unused space out of a box. */
  private empty({ typeAt, from, to }: Box): void {
    this.file.write('free', typeAt, 'latin1');
    this.file.fill(0, from, to);
  }

  /** Writes over names of programs, times, and properties. Properties are known by their number, so each stays a box of its type. */
  private wipeContent(box: Box): void {
    const { type, from, to } = box;
    if (type === 'hdlr') this.file.fill(0, Math.min(from + HANDLER_NAME_AT, to), to);
    if (['mvhd', 'tkhd', 'mdhd'].includes(type)) {
      const bytes = this.file.readUInt8(from) === 1 ? 16 : 8;
      part(this.file.subarray(0, to), from + 4, from + 4 + bytes).fill(0);
    }
    if (type === 'tkhd') this.checkSize(to - 8, 0xffff);
    if (type === 'ipco') for (const property of this.boxesIn(box)) this.wipeProperty(property);
  }

  private wipeProperty({ type, from, to }: Box): void {
    if (type === 'ispe') this.checkSize(from + 4);
    if (!PICTURE_PROPERTIES.has(type)) this.file.fill(0, from, to);
  }

  /** Checks a size that is written as two numbers. A track has a fraction in each, and may have no size. */
  private checkSize(at: number, fraction = 0): void {
    const [width, height] = [this.file.readUInt32BE(at), this.file.readUInt32BE(at + 4)].map((side) => Math.floor(side / (fraction + 1)));
    if (fraction === 0 || (width! > 0 && height! > 0)) checkSize(width!, height!);
  }

  /** Writes over the items that are no part of the picture. All of them together are at most as long as the file. */
  private wipeItems(boxes: readonly Box[]): void {
    const named = (name: string) => boxes.find(({ type }) => type === name);
    const [infos, locations, data] = [named('iinf'), named('iloc'), named('idat')];
    const types = new Map(infos ? this.itemTypes(infos) : []);
    let left = this.file.length;
    for (const extent of locations ? [...this.extents(locations)] : []) {
      const type = types.get(extent.id);
      if (type !== undefined && PICTURE_ITEMS.has(type)) continue;
      const content = this.contentOf(extent, data);
      left -= content.length;
      if (left < 0) throw new UnreadableImage();
      content.fill(type === 'Exif' ? 0 : ' ');
      if (type === 'Exif' && content.length >= EMPTY_EXIF.length) content.set(EMPTY_EXIF);
    }
  }

  /** Returns the bytes of an extent, which is a part of the file or of the box `idat`. A length of 0 would mean all of either. */
  private contentOf({ method, from, to }: Extent, data: Box | undefined): Buffer {
    if (from === to) throw new UnreadableImage();
    if (method === 0) return part(this.file, from, to);
    if (method !== 1 || !data) throw new UnreadableImage();
    return part(this.file.subarray(data.from, data.to), from, to);
  }

  /** Reads which type each item has, and writes over its name. An entry of an old version says no type. */
  private itemTypes({ type, from, to }: Box): [number, string][] {
    const first = from + (this.file.readUInt8(from) === 0 ? 6 : 8);
    return this.boxesIn({ type, from: first, to }).flatMap((entry): [number, string][] => {
      if (entry.type !== 'infe') throw new UnreadableImage();
      const version = this.file.readUInt8(entry.from);
      const idAt = entry.from + 4;
      const typeAt = idAt + (version < 3 ? 2 : 4) + 2;
      const nameAt = version < 2 ? typeAt : typeAt + 4;
      this.file.fill(0, Math.min(nameAt, entry.to), entry.to);
      if (version < 2) return [];
      const id = version === 2 ? this.file.readUInt16BE(idAt) : this.file.readUInt32BE(idAt);
      return [[id, textAt(this.file, typeAt, 4)]];
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
