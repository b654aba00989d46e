import { z } from 'zod';
import { operatorRegionSubject } from '../core/platform-subjects.ts';
import { subject } from '../core/subjects.ts';
import { Id } from '../core/text.ts';
import { WebhookTest } from './shapes.ts';

/** Subjects that only an operator asks, and a region answers. */
export const webhookOperatorSubjects = {
  /** Seals stored secrets again that are not under the key that writes now. */
  resealSecrets: operatorRegionSubject(
    'reseal_secrets',
    z.strictObject({}),
    z.object({ resealed: z.int(), remaining: z.int(), unreadable: z.int() }),
  ),
} as const;

/** Subjects that a region asks, and the delivery role answers. */
export const DELIVERY = {
  /** Sends a made-up event to a webhook of the region, and says what came back. @gap D1-4.7 */
  test: subject('codase.delivery.v1.{region}.test', { message: z.strictObject({ webhook_id: Id }), reply: WebhookTest }),
} as const;
