import { z } from 'zod';
import { subject } from '../core/subjects.ts';
import { callPlugin } from '../plugins/endpoints.ts';
import { PluginQuestion } from '../plugins/shapes.ts';

/** Every gateway answers, so that each gateway knows how many of them share the limits of the platform. @gap D1-7 */
export const GATEWAY_REPLICAS = subject('codase.gateway-replicas.v1', {
  message: z.strictObject({}),
  reply: z.object({ replica: z.string().max(64) }),
});

/**
 * A sealed question to a plugin, from the flows service. The gateway passes it to the forwarder as it is, without a token. The caller knows
 * `forwarder_url` from the pass. The question is not sent again while no answer comes: a plugin has ten seconds, and calls are counted.
 * @spec D2-4.5
 */
export const CALL_FORWARDER = subject('codase.gateway.v1.{service}.call_forwarder', {
  message: PluginQuestion.extend({ forwarder_url: z.url().max(2048) }),
  reply: callPlugin.result,
});
