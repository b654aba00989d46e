import { Ctx, Payload } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';

/** The transport's id. An app with several transports binds these patterns to this one alone. */
export const BUS_TRANSPORT = Symbol('bus');

/** The name under which a pattern's extras carry the binding. */
export const BINDING = 'bus';

/** Makes the message the first parameter and the context the second, unless the method decorates all of its parameters. */
export function decorateParameters(target: object, name: string, parameters: number): void {
  const decorated = Reflect.getMetadata(PARAM_ARGS_METADATA, target.constructor, name) as object | undefined;
  if (!decorated) {
    Payload()(target, name, 0);
    Ctx()(target, name, 1);
  } else if (Object.keys(decorated).length < parameters) {
    throw new Error(`${target.constructor.name}.${name}: decorate every parameter with @Payload() or @Ctx(), or none`);
  }
}
