import { OperatorFault } from '../operator-fault.ts';
import { describeError } from '../telemetry/index.ts';

interface SystemError {
  code?: string;
  address?: string;
  port?: number;
}

/** The error of the system inside an error. Clients wrap it, so the innermost error with a code is the one that says what is wrong. */
function systemError(error: unknown): SystemError {
  const { code, address, port, cause } = (error ?? {}) as SystemError & { cause?: unknown };
  const inner = cause instanceof Error ? systemError(cause) : {};
  return inner.code ? inner : { ...(code && { code }), ...(address && { address }), ...(port && { port }) };
}

/** Describes an error in a sentence that an operator can act on. Messages of our faults and of the system are safe to show. */
export function sentence(error: unknown): string {
  if (error instanceof OperatorFault) return error.message;
  const { code, address, port } = systemError(error);
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken: stop what listens there, or choose another port.`;
  if (code === 'ECONNREFUSED')
    return (
      `Nothing listens at ${address ?? 'the address of NATS or Postgres'}${port ? `:${port}` : ''}: is it running, and is the URL ` +
      'right?'
    );
  if (code === '28P01' || code === '28000') return 'Postgres refused the user or password: check DATABASE_URL and DATABASE_PASSWORD.';
  if (code === '3D000') return 'The database does not exist: create it and run the migrations first.';
  if (/authorization/i.test(String((error as Error)?.name) + String((error as Error)?.message)))
    return 'NATS refused the user or password: check NATS_USER and NATS_PASSWORD.';
  const { frames, ...rest } = describeError(error);
  const message = rest['error.message'];
  return `${rest['error.type']}${rest.code ? ` (${rest.code})` : ''}${message ? `: ${message}` : ''}\n${
    frames
      ?.slice(0, 5)
      .map((frame) => `  ${frame}`)
      .join('\n') ?? ''
  }`;
}
