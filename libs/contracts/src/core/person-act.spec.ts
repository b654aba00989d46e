import * as contactData from '../people/contact-data-endpoints.ts';
import * as customer from '../connections/customer-endpoints.ts';
import * as received from '../documents/received-document-endpoints.ts';
import { actOf, canonicalJson, digestedBody } from './person-act.ts';

describe('an act of a person, as a device states it @gap D1-5', () => {
  it('names the parameter or the member of the body that the operation acts on', () => {
    expect(actOf(customer.disconnect, { connectionId: 'conn_1' })).toMatchObject({ act: 'disconnect', on: 'conn_1', body: {} });
    expect(actOf(customer.connect, {}, { code: 'ACME/SHOP' })).toMatchObject({ on: 'ACME/SHOP', body: { code: 'ACME/SHOP' } });
  });

  it('is the same whether defaults were sent, filled in or left out', () => {
    const bare = { values: [{ slug: 'mail', value: 'sealed' }] };
    const sent = { values: [{ slug: 'mail', value: 'sealed', live: true, source_private: true }], drop: [], decline: [] };
    const params = { connectionId: 'conn_1' };

    expect(actOf(customer.changeCustomerConnection, params, sent)).toEqual(actOf(customer.changeCustomerConnection, params, bare));
    const other = { values: [{ slug: 'mail', value: 'sealed', live: false }] };
    expect(actOf(customer.changeCustomerConnection, params, other).body).toEqual(other);
  });

  it('has no file and no key of one', () => {
    const sent = { method: 'biometric', signer_first_name: 'Ana', signer_last_name: 'Example', otk: 'key', file: 'pdf' };
    const { otk: _, file: __, ...stated } = sent;

    expect(actOf(received.signDocument, { id: 'doc_1' }, sent).body).toEqual(stated);
  });

  it('has digests in place of some members, of a list element by element', () => {
    const copies = [
      { connection_id: 'conn_1', slug: 'mail', value: 'one' },
      { connection_id: 'conn_2', slug: 'mail', value: 'two' },
    ];
    const act = actOf(contactData.putContactData, { slug: 'email' }, { value: 'own', is_private: true, copies });

    expect(digestedBody(act, (part) => `digest of ${JSON.stringify(part)}`)).toEqual({
      value: 'digest of "own"',
      is_private: true,
      copies: copies.map((copy) => `digest of ${JSON.stringify(copy)}`),
    });
  });
});

describe('canonical JSON', () => {
  it('has members in the order of their names, at every depth, without blanks', () => {
    expect(canonicalJson({ b: 1, a: { d: [{ y: null, x: 'text' }], c: true } })).toBe('{"a":{"c":true,"d":[{"x":"text","y":null}]},"b":1}');
  });

  it('keeps the order of lists', () => {
    expect(canonicalJson(['b', 'a', 3, null, { d: 1, c: 2 }, []])).toBe('["b","a",3,null,{"c":2,"d":1},[]]');
  });

  it('leaves out members that have no value, as JSON does, and no others', () => {
    expect(canonicalJson({ gone: undefined, empty: '', none: null, no: false, zero: 0 })).toBe(
      '{"empty":"","no":false,"none":null,"zero":0}',
    );
  });

  it('escapes names and texts', () => {
    expect(canonicalJson({ 'a"b': 'c\nd' })).toBe('{"a\\"b":"c\\nd"}');
  });

  it('orders names by their UTF-16 code units (RFC 8785, 3.2.3)', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])));

    expect(Object.keys(JSON.parse(text) as object).filter((name) => name !== '1')).toEqual([
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ]);
  });
});
