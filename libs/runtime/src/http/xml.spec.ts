import fc from 'fast-check';
import { readXml, writeXml } from './xml.ts';

const refusal = (reason: RegExp) => expect.objectContaining({ key: 'request.invalid', message: expect.stringMatching(reason) });

describe('the XML form of JSON', () => {
  it('writes members as elements, with a type attribute on every value that is not text', () => {
    expect(writeXml({ error: 'no & "such"', status: 421, ok: false, none: null, items: [1, 'a'] })).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><response type="object"><error>no &amp; &quot;such&quot;</error><status ' +
        'type="number">421</status>' +
        '<ok type="boolean">false</ok><none type="null"/><items type="array"><item type="number">1</item><item>a</item></items></response>',
    );
  });

  it('reads back every value that it wrote', () => {
    // XML 1.0 cannot express control characters. Everything else survives.
    const text = fc.string({ unit: 'binary' }).map((s) => s.toWellFormed().replace(/[\p{Cc}\ufffe\uffff]/gu, ' '));
    const { value } = fc.letrec((again) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
        fc.boolean(),
        fc.constant(null),
        fc.array(again('value'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((name) => name !== '__proto__'),
          again('value'),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        expect(readXml(writeXml(original))).toEqual(original);
      }),
    );
  });

  it('takes types from the schema when the document does not state them', () => {
    const schema = {
      type: 'object',
      properties: {
        number_matching: { type: 'boolean' },
        count: { type: 'integer' },
        events: { type: 'array', items: { type: 'string' } },
        name: { type: 'string' },
      },
    };
    const source =
      '<anything><number_matching>true</number_matching><count> 7 </count><events><event>a</event></events><name>12</name></anything>';

    expect(readXml(source, schema)).toEqual({ number_matching: true, count: 7, events: ['a'], name: '12' });
  });

  it('keeps a value that does not fit its type as text, so that the schema refuses it', () => {
    expect(readXml('<a><b type="number">seven</b><c type="boolean">yes</c></a>')).toEqual({ b: 'seven', c: 'yes' });
  });

  it.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', /document type/],
    ['an entity of its own', '<a>&x;</a>', /well formed/],
    ['a processing instruction', '<?php echo 1 ?><a/>', /processing instructions/],
    ['an unclosed element', '<a><b></a>', /well formed/],
    ['nothing', '', /well formed|no element/],
    ['a member twice', '<a type="object"><b>1</b><b>2</b></a>', /twice/],
    ['endless nesting', '<a>'.repeat(100_000), /at most 256 levels deep/],
    ['endless elements', `<a>${'<b/>'.repeat(100_000)}`, /at most 100000 elements and attributes/],
    ['endless attributes', `<a ${Array.from({ length: 100_001 }, (_, nth) => `b${nth}=""`).join(' ')}`, /at most 100000 elements/],
  ])('refuses %s', (_, source, reason) => {
    expect(() => readXml(source)).toThrow(refusal(reason));
  });

  it('does not let an element name reach a prototype', () => {
    const value = readXml('<a type="object"><__proto__ type="object"><admin type="boolean">true</admin></__proto__></a>') as Record<
      string,
      unknown
    >;

    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    expect(value['admin']).toBeUndefined();
  });
});
