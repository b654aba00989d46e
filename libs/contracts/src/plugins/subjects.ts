import { z } from 'zod';
import { Done } from '../core/platform-subjects.ts';
import { idempotent, subject } from '../core/subjects.ts';
import { Id } from '../core/text.ts';
import { PluginDescription, RefreshedPlugin } from './description.ts';

const regionPluginSubject = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`codase.plugins.v1.{region}.${name}` as const, { message, reply });

/** Where a plugin is: its address and its token, or the key of a built-in one. */
const PluginTarget = z.object({
  base_url: z.string().nullable(),
  builtin_key: z.string().nullable(),
  /** The token, sealed to the process that asked; null when the plugin takes none. */
  sealed_token: z.string().nullable(),
});

/**
 * Sent by the forwarder to a region, for each call of a plugin. The region counts calls, so that the limits hold for all processes of the
 * forwarder, which have no database. @spec D2-4.5 @spec D2-8
 */
export const REGION_PLUGINS = {
  /**
   * Takes one call from the window of the plugin and one of its places in flight. The request is sent again when no answer comes: a call
   * that has begun takes nothing more. A forwarder of an earlier release gives no `call_id` and no company, and a region of an earlier
   * release accepts none.
   */
  begin: idempotent(
    regionPluginSubject(
      'begin',
      z.strictObject({
        call_id: Id.optional(),
        plugin_id: Id,
        company_user_id: Id.optional(),
        use: z.enum(['call', 'registry']),
        sealing_key: z.string().max(64),
      }),
      PluginTarget.extend({ call_id: Id }),
    ),
    'in_turn',
  ),
  /** Gives the place back, and notes why the plugin did not respond; null when it did. */
  end: idempotent(regionPluginSubject('end', z.strictObject({ call_id: Id, error: z.string().max(300).nullable() }), Done)),
  /** Stores the description that a plugin gave. */
  describe: idempotent(regionPluginSubject('describe', z.strictObject({ call_id: Id, description: PluginDescription }), RefreshedPlugin)),
} as const;
