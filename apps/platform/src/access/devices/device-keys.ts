import { z } from 'zod';

/** The keys of a person's devices, by their thumbprints. Regions follow them to check statements, and ask nobody. */
export const DEVICE_KEYS = { bucket: 'device_keys', shape: z.object({ user_id: z.string(), jkts: z.array(z.string()) }) };
export const DEVICE_KEY_ROWS = Symbol('keys of devices');
