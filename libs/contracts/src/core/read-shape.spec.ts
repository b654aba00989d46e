import { z } from 'zod';
import { expects, fails } from './fails.ts';
import { readShape, type RequestPart } from './read-shape.ts';

const refusalOf = (shape: z.ZodType, value: unknown, part: RequestPart = 'body') => {
  try {
    readShape(shape, value, part);
    return undefined;
  } catch (error) {
    const { key, message } = error as { key: string; message: string };
    return [key, message];
  }
};
const invalid = (message: string) => ['request.invalid', message];

describe('a validation message @gap D1-7', () => {
  const shape = z.strictObject({
    name: z.string().max(3).min(1),
    size: z.int().min(1).max(5).optional(),
    live: z.boolean().optional(),
    kind: z.enum(['a', 'b']).optional(),
    version: z.literal(1).optional(),
    list: z
      .array(z.strictObject({ slug: z.string().regex(/^[a-z]+$/, expects('must be letters a-z')) }))
      .max(2)
      .optional(),
    at: z.iso.datetime({ offset: true }).optional(),
    names: z.record(z.string(), z.number()).optional(),
  });

  it.each([
    [{}, 'name: is missing; it must be a text'],
    [{ name: 1 }, 'name: must be a text'],
    [{ name: 'abcd' }, 'name: must have at most 3 characters'],
    [{ name: '' }, 'name: must not be empty'],
    [{ name: 'a', size: 1.5 }, 'size: must be a whole number'],
    [{ name: 'a', size: 6 }, 'size: must be at most 5'],
    [{ name: 'a', live: 'yes' }, 'live: must be true or false'],
    [{ name: 'a', kind: 'c' }, 'kind: must be one of a, b'],
    [{ name: 'a', version: 2 }, 'version: must be 1'],
    [{ name: 'a', list: {} }, 'list: must be a list'],
    [{ name: 'a', list: [{ slug: 'a' }, { slug: 'A' }] }, 'list.1.slug: must be letters a-z'],
    [{ name: 'a', list: [{ slug: 'a' }, {}] }, 'list.1.slug: is missing; it must be a text'],
    [{ name: 'a', list: [{}, {}, {}].map(() => ({ slug: 'a' })) }, 'list: must have at most 2 entries'],
    [{ name: 'a', at: 'today' }, 'at: must be a moment with its offset, as 2026-03-02T09:30:00Z'],
    [{ name: 'a', names: { x: 'y' } }, 'names.x: must be a number'],
    [{ name: 'a', nmae: 'b', other: 1 }, 'body: does not take nmae, other'],
    [{ name: 'a', list: [{ slug: 'a', more: 1 }] }, 'list.0: does not take more'],
    [[], 'body: must be an object'],
    ['text', 'body: must be an object'],
  ])('names the invalid member and the expected value for %j', (value, message) => {
    expect(refusalOf(shape, value)).toEqual(invalid(message));
  });

  it('says that the invalid member is a query parameter', () => {
    const query = z.strictObject({ limit: z.coerce.number<number>().int().max(5) });

    expect(refusalOf(query, { limit: 'x' }, 'query')).toEqual(invalid('query parameter limit: must be a number'));
    expect(refusalOf(query, { limit: '9' }, 'query')).toEqual(invalid('query parameter limit: must be at most 5'));
    expect(refusalOf(query, { limit: '1', x: '' }, 'query')).toEqual(invalid('query: does not take x'));
  });

  it('keeps the error key of a check and uses the message of the check or of the catalogue', () => {
    const keyed = z.object({
      code: z.string(fails('services.share_code_invalid')),
      iv: z.string(fails('services.key_invalid', 'must be base64: of 12 bytes')).optional(),
    });

    expect(refusalOf(keyed, {})).toEqual(['services.share_code_invalid', 'code: A share code is 1 to 8 characters of A-Z and 0-9']);
    expect(refusalOf(keyed, { code: 'A', iv: 1 })).toEqual(['services.key_invalid', 'iv: must be base64: of 12 bytes']);
  });

  it('says only "not found" for a malformed id', () => {
    expect(refusalOf(z.object({ id: z.string().regex(/^a$/, fails('services.not_found')) }), { id: 'b' }, 'path')).toEqual([
      'services.not_found',
      'No such service of this company',
    ]);
  });

  it('describes the closest option when a value matches no option of a union', () => {
    const either = z.object({ target: z.union([z.strictObject({ id: z.string() }), z.strictObject({ code: z.string() })]) });

    expect(refusalOf(either, { target: { code: 1 } })).toEqual(invalid('target.code: must be a text'));
    expect(refusalOf(either, { target: 1 })).toEqual(invalid('target: has none of the shapes that are taken here'));
  });

  it('truncates an unknown member name and replaces its control characters', () => {
    const [, message] = refusalOf(shape, { name: 'a', [`${'x'.repeat(99)}`]: 1, 'a\u0000\u202eb': 1 })!;
    expect(message).toBe(`body: does not take ${'x'.repeat(64)}, a??b`);
  });
});
