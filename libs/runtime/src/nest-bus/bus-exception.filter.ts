import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { Refusal } from '@codase/contracts';
import { throwError, type Observable } from 'rxjs';
import { BusContext } from './bus-context.ts';

/**
 * Gives the transport the error that was thrown. Nest's own filter would replace it by a text: every refusal would reach its caller as
 * `service.unavailable`, and no consumer could tell which errors are transient. CoreModule provides it as APP_FILTER.
 */
@Catch()
export class BusExceptionFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): Observable<never> {
    const isRequest = host.switchToRpc().getContext<unknown>() instanceof BusContext;
    const error = (isRequest && refusalOf(exception)) || exception;
    return throwError(() => error);
  }
}

/**
 * The refusal that a caller gets when a guard or a pipe of Nest refuses a request; the bus decides about all other errors. It is not used
 * for an event, for which this is a failure like any other: a consumer would take such a refusal for a reason to wait.
 */
function refusalOf(exception: unknown): Refusal | undefined {
  if (exception instanceof RpcException && exception.message === 'Forbidden resource') return new Refusal('auth.client_endpoint_forbidden');
  if (exception instanceof HttpException && exception.getStatus() === 400) return new Refusal('request.invalid');
  return undefined;
}
