import { z } from 'zod';
import { subject } from '../core/subjects.ts';

/** Every gateway answers, so that each of them knows how many share the limits of the platform. @gap D1-7 */
export const GATEWAY_REPLICAS = subject('cds.gateway-replicas.v1', {
  message: z.strictObject({}),
  reply: z.object({ replica: z.string().max(64) }),
});
