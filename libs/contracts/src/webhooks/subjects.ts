import { z } from 'zod';
import { subject } from '../core/subjects.ts';
import { Id } from '../core/text.ts';
import { WebhookTest } from './shapes.ts';

/** Asked of the delivery by a region. */
export const DELIVERY = {
  /** Sends a made-up event to a webhook of the region, and says what came back. @gap D1-4.7 */
  test: subject('cds.delivery.v1.{region}.test', { message: z.strictObject({ webhook_id: Id }), reply: WebhookTest }),
} as const;
