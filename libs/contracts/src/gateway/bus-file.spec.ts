import { BinaryAnswer } from '../core/file.ts';
import { carriedByBus } from './bus-file.ts';

describe('a file on the bus @spec D1-2.8', () => {
  const reply = carriedByBus(BinaryAnswer);
  const onTheWire = (answer: unknown) => JSON.parse(JSON.stringify(reply.parse(answer))) as unknown;

  it('arrives with the same bytes and content type', () => {
    const file = { content_type: 'image/png', bytes: Uint8Array.from([0, 1, 254, 255]) };

    expect(onTheWire(file)).toEqual({ content_type: 'image/png', base64: 'AAH+/w==' });
    expect(reply.parse(onTheWire(file))).toEqual(file);
  });

  it('is not changed when it is already text', () => {
    const sealed = { encrypted: false, value: '{"file":"data:image/png;base64,AA=="}' };

    expect(reply.parse(onTheWire(sealed))).toEqual(sealed);
  });
});
