import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { Refusal } from '@cds/contracts';
import { throwError, type Observable } from 'rxjs';
import { BusContext } from './bus-context.ts';

/**
 * Gives the transport the error that was thrown. Nest's own filter would replace it by a text, and every refusal would reach its caller as
 * `service.unavailable`, and no consumer could tell what is transient. CoreModule provides it as APP_FILTER.
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
 * What a caller gets when a guard or a pipe of Nest says no; the bus decides about everything else. For an event that is a failure like any
 * other: such a refusal would be a reason to wait.
 */
function refusalOf(exception: unknown): Refusal | undefined {
  if (exception instanceof RpcException && exception.message === 'Forbidden resource') return new Refusal('auth.client_endpoint_forbidden');
  if (exception instanceof HttpException && exception.getStatus() === 400) return new Refusal('request.invalid');
  return undefined;
}
