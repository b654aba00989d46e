import { httpUrl, json, serviceConfig } from '@cds/runtime/config';
import { z } from 'zod';

/** A service's name on the bus: a word of one subject level. */
const Handle = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and - only');

export const Credentials = z.strictObject({ client_id: z.string().min(1), client_secret: z.string().min(1) });
export type Credentials = z.infer<typeof Credentials>;

export const Config = serviceConfig.extend({
  FRONT_DOOR_URL: httpUrl,
  /** {"shop": {"client_id": "svc_…", "client_secret": "…"}}; mount it and name it in SERVICES_FILE. */
  SERVICES: json(z.record(Handle, Credentials, 'an object of {name: {client_id, client_secret}}')),
});
export type Config = z.infer<typeof Config>;
export const SERVICES = Symbol('Services');
export const FRONT_DOOR_URL = Symbol('front door URL');
