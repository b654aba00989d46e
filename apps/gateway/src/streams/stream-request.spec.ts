import { connections, documents } from '@codase/contracts';
import { readStreamRequest } from './stream-request.ts';

describe('URL of the HTTP server', () => {
  it('names a client, an operation and its parameters', () => {
    expect(readStreamRequest('GET', '/v1/shop/read_slot_file?connectionId=con_1&serviceFieldId=fld_2')).toEqual({
      name: 'shop',
      contract: connections.readSlotFile,
      path: '/api/company-data/connections/con_1/slots/fld_2/file',
    });
    expect(readStreamRequest('PUT', '/v1/shop/replace_document_file?id=doc_1')).toMatchObject({ contract: documents.replaceDocumentFile });
    expect(readStreamRequest('GET', '/v1/shop/list_connections?limit=5').path).toBe('/api/company-data/connections?limit=5');
  });

  it('cannot leave the path of its operation', () => {
    expect(() => readStreamRequest('GET', '/v1/shop/read_connection?connectionId=..%2F..%2Flogs')).toThrow(
      /^query parameter connectionId: is missing, or cannot stand in a path$/,
    );
  });

  it('is rejected when it names no operation, or has invalid parameters', () => {
    for (const address of ['/', '/v1/shop', '/v1/shop/nonsense', '/v1/shop/read_slot_file/more', '/v2/shop/whoami'])
      expect(() => readStreamRequest('GET', address)).toThrow(/Ask for/);
    expect(() => readStreamRequest('POST', '/v1/shop/whoami')).toThrow(/Ask for/);
    expect(() => readStreamRequest('GET', '/v1/shop/whoami?x=1')).toThrow(/^query: does not take x$/);
    expect(() => readStreamRequest('GET', '/v1/shop/list_connections?limit=many')).toThrow(/^query parameter limit: must be a number$/);
  });
});
