import { InvalidArgumentError } from '@nats-io/transport-node';

/**
 * Whether the library did not send a message because the server carries less, as it said when it was connected to: its max_payload counts
 * headers too. To send it all the same would cost the connection.
 */
export const isTooLong = (error: unknown): boolean => error instanceof InvalidArgumentError && error.message.includes('max_payload');
