import { InvalidArgumentError } from '@nats-io/transport-node';

/**
 * Whether the library did not send a message because it is longer than the max_payload that the server named at connect, which counts
 * headers too. To send it all the same would cost the connection.
 */
export const isTooLong = (error: unknown): boolean => error instanceof InvalidArgumentError && error.message.includes('max_payload');
