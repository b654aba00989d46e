import { z } from 'zod';
import { databaseConfig, serviceConfig } from './variables.ts';

const { CONNECT_SECONDS, NODE_ENV, NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA, NATS_CERT, NATS_KEY, NATS_TLS_HANDSHAKE } =
  serviceConfig.shape;
const { DATABASE_URL, DATABASE_PASSWORD, DATABASE_CA, DATABASE_CERT, DATABASE_KEY } = databaseConfig.shape;

/** The configuration of the program `migrate` of an app: a database, with the role of its owner. */
export const migrateConfig = z.object({
  NODE_ENV,
  CONNECT_SECONDS,
  DATABASE_URL,
  DATABASE_PASSWORD,
  DATABASE_CA,
  DATABASE_CERT,
  DATABASE_KEY,
});

/** The configuration of the program `prepare` of an app: the bus, as an operator of its plane, who may make streams and buckets. */
export const prepareConfig = z.object({
  NODE_ENV,
  CONNECT_SECONDS,
  NATS_URL,
  NATS_USER,
  NATS_PASSWORD,
  NATS_CA,
  NATS_CERT,
  NATS_KEY,
  NATS_TLS_HANDSHAKE,
  /** On how many servers each stream and bucket is kept; existing ones are changed to it. */
  REPLICAS: z.coerce
    .number('1, 3 or 5')
    .refine((count) => [1, 3, 5].includes(count), '1, 3 or 5: on that many servers of the cluster')
    .default(1),
});
