import { z } from 'zod';
import { fails } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { EncryptedPrivateKey, encryptedPemOr, encryptedPrivateKeyOr, PublicKey, publicKeyOr } from '../core/sealed.ts';
import { emailOr, Id, Line, Slug, Timestamp } from '../core/text.ts';
import { PluginChoice, PluginSnapshot } from '../plugins/shapes.ts';
import { REQUEST_FIELDS } from './limits.ts';

/** @spec D1-2.4 @gap D1-2.4 */
export const NewService = z.strictObject({
  name: Line,
  admin_email: emailOr('services.admin_email_invalid'),
  public_key: publicKeyOr('services.key_invalid'),
  encrypted_private_key: encryptedPrivateKeyOr('services.key_invalid'),
  private_key_pem: encryptedPemOr('services.key_invalid').optional(),
});

/** The code that was mailed to an admin e-mail. @gap D1-2.4 */
const badCode = fails('services.admin_email_code_invalid', 'must be the code of the mail');
export const AdminEmailCode = z.string(badCode).regex(/^[0-9A-Z]{6,10}$/, badCode);

/** The kind of customers that a service wants to connect with. @spec D1-7 */
export const ServiceAudience = z.enum(['both', 'b2b']);

/** @spec D1-2.4 @gap D1-4.6 */
export const Service = named(
  'Service',
  z.object({
    id: Id,
    name: z.string(),
    share_code: z.string(),
    admin_email: z.string(),
    admin_email_confirmed: z.boolean(),
    number_matching: z.boolean(),
    audience: ServiceAudience,
    public_key: PublicKey,
    encrypted_private_key: EncryptedPrivateKey,
    created_at: Timestamp,
  }),
);

/** What a service shows of its company to those who look at it. @gap D1-5.8 */
export const ShareConfig = z.strictObject({ audience: ServiceAudience, fields: z.array(Slug).max(100), photo_id: Id.nullable() });

const row = {
  slug: Slug,
  label: Line,
  type: Slug,
  one_time: z.boolean(),
  mandatory: z.boolean(),
  verified: z.boolean(),
  verified_max_age_days: z.int().min(1).max(36_500).optional(),
};

const RequestPlugin = z.object({ name: z.string(), field_type: z.string(), snapshot: PluginSnapshot });

/** A request row as a data client reads it. @spec D1-2.6 */
export const RequestField = named(
  'RequestField',
  z.object({
    ...row,
    plugin: RequestPlugin.nullable(),
  }),
);
export type RequestField = z.infer<typeof RequestField>;

/** The kind of customers that a row asks. @spec D1-2.6 */
export const RequestAudience = z.enum(['person', 'company', 'both']);

/** A row as its owner reads it: with its id, its audience, and the id of its plugin to write it again. @spec D1-2.6 @gap D1-2.6 */
export const OwnRequestField = RequestField.extend({
  service_field_id: Id,
  audience: RequestAudience,
  plugin: RequestPlugin.extend({ plugin_id: Id }).nullable(),
});

/** A row as its owner writes it. @spec D1-2.6 */
export const NewRequestField = z
  .strictObject({
    ...row,
    one_time: z.boolean().default(false),
    mandatory: z.boolean().default(false),
    verified: z.boolean().default(false),
    audience: RequestAudience.default('both'),
    plugin: z
      .union([z.null(), PluginChoice], fails('services.request_field_plugin_invalid', 'must be null, or plugin_id and field_type'))
      .default(null),
  })
  .refine(({ type, plugin }) => (type === 'plugin') === (plugin !== null), {
    ...fails('services.request_field_plugin_invalid', 'is given where the type is plugin, and nowhere else'),
    path: ['plugin'],
  });

/** Refuses the first row that has the slug of an earlier row. */
const checkDistinctSlugs = (fields: readonly { slug: string }[], { addIssue }: z.RefinementCtx) => {
  const nth = fields.findIndex(({ slug }, at) => fields.findIndex((other) => other.slug === slug) < at);
  const message = fails('services.request_field_invalid', 'is the slug of another row: each row has its own').error;
  if (nth >= 0) addIssue({ code: 'custom', path: [nth, 'slug'], message });
};

/** The whole request of a service. The token names the state that it was made from. @spec D1-4.7 @gap D1-4.7 */
export const NewRequest = z.strictObject({
  config_token: z.string().max(128),
  fields: z.array(NewRequestField).max(REQUEST_FIELDS).superRefine(checkDistinctSlugs),
});

/** One line of a service's log. @gap D1-4.7 */
export const LogEntry = named(
  'LogEntry',
  z.object({
    id: Id,
    at: Timestamp,
    kind: z.string(),
    message: z.string(),
    webhook_id: Id.nullable(),
  }),
);
