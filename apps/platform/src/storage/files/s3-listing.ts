const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescape = (text: string) =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal: string, hex: string, name: string) =>
    decimal || hex ? String.fromCodePoint(parseInt(decimal ?? hex, decimal ? 10 : 16)) : (ENTITIES[name] ?? whole),
  );

/** Returns the keys in an answer of ListObjectsV2, and whether they are the last ones. */
export function keysIn(xml: string): { keys: string[]; isLast: boolean } {
  const contents = xml.match(/<Contents>[\s\S]*?<\/Contents>/g) ?? [];
  const keys = contents.flatMap((one) => /<Key>([^<]*)<\/Key>/.exec(one)?.slice(1) ?? []);
  return { keys: keys.map(unescape), isLast: !/<IsTruncated>\s*true\s*<\/IsTruncated>/.test(xml) };
}
