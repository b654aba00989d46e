import { deepStrictEqual } from 'node:assert/strict';
import { readXml, writeXml } from '@codase/runtime/http';
import { bench } from './harness/bench.ts';
import { loadPeer, type FastXmlParser } from './harness/peers.ts';
import { repeat } from './harness/repeat.ts';

const ROWS = 50;
/** A body as a caller sends it: lists, objects, numbers, and texts with characters that are escaped. */
const VALUE = {
  rows: Array.from({ length: ROWS }, (_, i) => ({ id: `row_${i}`, count: i, is_open: i % 2 === 0, label: `Ada & Bob <${i}>`, note: null })),
};

async function setup() {
  const { XMLParser } = (await loadPeer<FastXmlParser>('fast-xml-parser')).default;
  const xml = writeXml(VALUE);
  deepStrictEqual(readXml(xml), VALUE);
  return {
    xml,
    json: JSON.stringify(VALUE),
    peer: new XMLParser({ ignoreAttributes: false, parseTagValue: false, processEntities: true }),
  };
}

/** Measures how fast a body is read. Ours refuses, bounds and types what the peer does not, so it may take half as much CPU again. */
export default bench({
  name: 'xml',
  what: 'a body in XML read as JSON values, against fast-xml-parser, and against JSON.parse of the same values',
  unit: 'bodies/s',
  setup,
  contenders: {
    floor: repeat(({ json }: Awaited<ReturnType<typeof setup>>) => JSON.parse(json) as unknown),
    'fast-xml-parser': repeat(({ xml, peer }) => peer.parse(xml)),
    ours: repeat(({ xml }) => readXml(xml)),
  },
  bar: [{ figure: 'cpu_us', over: 'fast-xml-parser', atMost: 1.5 }],
});
