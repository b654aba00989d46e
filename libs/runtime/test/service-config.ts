import type { TestBus } from '@codase/testing';

/** The configuration that every service reads, for one that a test starts on a bus of its own. */
export const serviceConfig = ({ credentials: { url, user, password } }: TestBus) => ({
  OPS_HOST: '127.0.0.1',
  OPS_PORT: 0,
  NATS_URL: url,
  NATS_USER: user,
  NATS_PASSWORD: password,
  CLOCK: 'system' as const,
  NODE_ENV: 'test' as const,
  SHUTDOWN_SECONDS: 5,
  CONNECT_SECONDS: 5,
});
