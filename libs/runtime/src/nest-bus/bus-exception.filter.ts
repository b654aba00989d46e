import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { Refusal } from '@cds/contracts';
import { throwError, type Observable } from 'rxjs';

/**
 * Gives the transport the error that was thrown. Nest's own filter would replace it by a text, and every refusal would reach its caller as
 * `service.unavailable`. CoreModule provides it as APP_FILTER.
 */
@Catch()
export class BusExceptionFilter implements ExceptionFilter {
  catch(exception: unknown, _host: ArgumentsHost): Observable<never> {
    const error = refusalOf(exception) ?? exception;
    return throwError(() => error);
  }
}

/** The refusal for what Nest itself throws when a guard or a pipe says no. The bus decides about everything else. */
function refusalOf(exception: unknown): Refusal | undefined {
  if (exception instanceof RpcException && exception.message === 'Forbidden resource') return new Refusal('auth.client_endpoint_forbidden');
  if (exception instanceof HttpException && exception.getStatus() === 400) return new Refusal('request.invalid');
  return undefined;
}
