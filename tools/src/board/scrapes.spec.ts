import { readSamples } from './scrapes.ts';

describe('the parser of the Prometheus text format', () => {
  it('reads samples with and without labels', () => {
    const text = '# HELP a b\n# TYPE a counter\na_total 3\na{x="1",y="q\\"z\\n"} 0.5 1700000000000\nb{le="+Inf"} 2e3\n';
    expect(readSamples(text)).toEqual([
      { name: 'a_total', labels: {}, value: 3 },
      { name: 'a', labels: { x: '1', y: 'q"z\n' }, value: 0.5 },
      { name: 'b', labels: { le: '+Inf' }, value: 2000 },
    ]);
  });

  it('ignores lines that are not samples', () => expect(readSamples('<html>\n{"error":1}\n\n')).toEqual([]));
});
