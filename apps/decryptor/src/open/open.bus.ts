import { Controller } from '@nestjs/common';
import {
  OPEN_ACCOUNT_VALUES,
  OPEN_PAYLOAD,
  OPEN_VALUE,
  OPEN_VALUES,
  READ_SERVICE_KEY,
  UNWRAP_ACCOUNT_VALUE,
  UNWRAP_KEY,
} from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { ACCOUNT } from './callers.ts';
import { OpenService } from './open.service.ts';

const SHARED = { queue: 'decryptor' };
const OF_ACCOUNT = { service: ACCOUNT, what: 'account' } as const;

/** Answers the requests of callers to the decryptor. */
@Controller()
export class OpenBus {
  constructor(private readonly opening: OpenService) {}

  @Answers(OPEN_VALUE, SHARED)
  openValue(toOpen: MessageOf<typeof OPEN_VALUE>, { values, user }: BusContext<typeof OPEN_VALUE>) {
    return this.opening.openValue(toOpen, { ...values, what: 'values', by: user });
  }

  @Answers(OPEN_VALUES, SHARED)
  openValues(message: MessageOf<typeof OPEN_VALUES>, { values, user }: BusContext<typeof OPEN_VALUES>) {
    return this.opening.openValues(message.values, { ...values, what: 'values', by: user });
  }

  @Answers(UNWRAP_KEY, SHARED)
  unwrapKey({ wrapped_key }: MessageOf<typeof UNWRAP_KEY>, { values, user }: BusContext<typeof UNWRAP_KEY>) {
    return this.opening.unwrapKey(wrapped_key, { ...values, what: 'values', by: user });
  }

  @Answers(OPEN_ACCOUNT_VALUES, SHARED)
  openAccountValues({ values }: MessageOf<typeof OPEN_ACCOUNT_VALUES>, { user }: BusContext<typeof OPEN_ACCOUNT_VALUES>) {
    return this.opening.openValues(values, { ...OF_ACCOUNT, by: user });
  }

  @Answers(UNWRAP_ACCOUNT_VALUE, SHARED)
  unwrapAccountValue({ wrapped_key }: MessageOf<typeof UNWRAP_ACCOUNT_VALUE>, { user }: BusContext<typeof UNWRAP_ACCOUNT_VALUE>) {
    return this.opening.unwrapKey(wrapped_key, { ...OF_ACCOUNT, by: user });
  }

  @Answers(READ_SERVICE_KEY, SHARED)
  serviceKey(_: MessageOf<typeof READ_SERVICE_KEY>, { values, user }: BusContext<typeof READ_SERVICE_KEY>) {
    return this.opening.serviceKey({ ...values, what: 'values', by: user });
  }

  @Answers(OPEN_PAYLOAD, SHARED)
  openPayload({ envelope }: MessageOf<typeof OPEN_PAYLOAD>, { values, user }: BusContext<typeof OPEN_PAYLOAD>) {
    return this.opening.openPayload(envelope, { ...values, what: 'payloads', by: user });
  }
}
