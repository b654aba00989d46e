import { Controller } from '@nestjs/common';
import { OPEN_PAYLOAD, OPEN_VALUE, OPEN_VALUES, READ_SERVICE_KEY, UNWRAP_KEY } from '@cds/contracts';
import { Answers, type BusContext, type MessageOf } from '@cds/runtime/nest-bus';
import { OpenService } from './open.service.ts';

const SHARED = { queue: 'decryptor' };

/** Answers the requests of callers to the decryptor. */
@Controller()
export class OpenBus {
  constructor(private readonly opening: OpenService) {}

  @Answers(OPEN_VALUE, SHARED)
  openValue(toOpen: MessageOf<typeof OPEN_VALUE>, { values, user }: BusContext<typeof OPEN_VALUE>) {
    return this.opening.openValue(toOpen, { ...values, by: user });
  }

  @Answers(OPEN_VALUES, SHARED)
  openValues(message: MessageOf<typeof OPEN_VALUES>, { values, user }: BusContext<typeof OPEN_VALUES>) {
    return this.opening.openValues(message.values, { ...values, by: user });
  }

  @Answers(UNWRAP_KEY, SHARED)
  unwrapKey({ wrapped_key }: MessageOf<typeof UNWRAP_KEY>, { values, user }: BusContext<typeof UNWRAP_KEY>) {
    return this.opening.unwrapKey(wrapped_key, { ...values, by: user });
  }

  @Answers(READ_SERVICE_KEY, SHARED)
  serviceKey(_: MessageOf<typeof READ_SERVICE_KEY>, { values, user }: BusContext<typeof READ_SERVICE_KEY>) {
    return this.opening.serviceKey({ ...values, by: user });
  }

  @Answers(OPEN_PAYLOAD, SHARED)
  openPayload({ envelope }: MessageOf<typeof OPEN_PAYLOAD>, { values, user }: BusContext<typeof OPEN_PAYLOAD>) {
    return this.opening.openPayload(envelope, { ...values, by: user });
  }
}
