import { databaseConfig, serviceConfig } from '@codase/runtime/config';
import type { z } from 'zod';

export const Config = serviceConfig.extend(databaseConfig.shape);
export type Config = z.infer<typeof Config>;
