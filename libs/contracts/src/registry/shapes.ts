import { z } from 'zod';
import { named } from '../core/named.ts';
import { Line, Slug } from '../core/text.ts';

const Input = z.enum(['line', 'date', 'list', 'multilist', 'country', 'nationality', 'state', 'phone', 'composite', 'file', 'pages']);
const Check = z.enum(['url', 'card', 'number', 'integer', 'decimal', 'float', 'pdf']);
const Options = z.array(z.string());

/** A sub-field of a composite, or an entry beside a file. @spec D1-2.5 */
export const FieldEntry = z.object({
  key: z.string(),
  input: Input,
  required: z.boolean(),
  check: Check.nullable(),
  validation: z.string().nullable(),
  options: Options.nullable(),
});

/** A raw row of the registry. It inherits what it leaves null. @spec D1-2.5 */
export const FieldTypeRow = named(
  'FieldTypeRow',
  z.object({
    type: z.string(),
    parent: z.string().nullable(),
    label: z.string(),
    input: Input.nullable(),
    lane: z.enum(['inline', 'photo', 'document']).nullable(),
    check: Check.nullable(),
    options: Options.nullable(),
    fields: z.array(FieldEntry).nullable(),
    validation: z.string().nullable(),
    is_system: z.boolean(),
  }),
);
export type FieldTypeRow = z.infer<typeof FieldTypeRow>;

/** Which profiles may fill a field. @spec D1-2.5 */
export const UserType = z.enum(['person', 'company', 'any']);

/** A field of the catalog: the platform's, or an owner's own. @spec D1-2.5 @gap D1-4.4 */
export const ContactField = named(
  'ContactField',
  z.object({
    slug: z.string(),
    label: z.string(),
    type: z.string(),
    usertype: UserType,
    options: Options.nullable(),
    is_system: z.boolean(),
  }),
);

/** An owner's own field, as it is written. @gap D1-5 */
export const NewContactField = z.strictObject({
  label: Line,
  type: Slug,
  usertype: UserType.default('any'),
  options: z.array(Line).max(500).optional(),
});
