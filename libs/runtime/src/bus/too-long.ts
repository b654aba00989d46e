import { InvalidArgumentError } from '@nats-io/transport-node';

/** Whether a message, with its headers, is longer than the server's max_payload. To send it would cost the connection. */
export const isTooLong = (error: unknown): boolean => error instanceof InvalidArgumentError && error.message.includes('max_payload');
