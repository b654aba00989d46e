import type { databaseConfig } from '@codase/runtime/config';
import type { DatabaseAddress } from '@codase/runtime/db';
import type { z } from 'zod';

/** Returns the address of the database that variables name. */
export const addressIn = (config: z.output<typeof databaseConfig>): DatabaseAddress => ({
  url: config.DATABASE_URL,
  ...(config.DATABASE_PASSWORD && { password: config.DATABASE_PASSWORD }),
  ...(config.DATABASE_CA && { ca: config.DATABASE_CA }),
  ...(config.DATABASE_CERT && { cert: config.DATABASE_CERT }),
  ...(config.DATABASE_KEY && { key: config.DATABASE_KEY }),
});
