import { Controller } from '@nestjs/common';
import { DELIVERY_BYTES, Refusal } from '@codase/contracts';
import { ServesRaw, type RawAnswer, type RawRequest, type RawRoute } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import { Deliveries } from './deliveries.service.ts';
import { METRICS } from '../metrics.ts';

const SERVICE = /^[A-Za-z0-9_-]{1,64}$/;

/** The route takes the body as the bytes that came, because a signature covers exactly those. */
const DELIVERIES = {
  methods: ['POST'],
  path: '/hooks/{service}',
  body: 'bytes',
  largest: DELIVERY_BYTES,
  onRefused: ({ key }) => count(METRICS.feedRefused, { 'codase.error_key': key }),
} as const satisfies RawRoute;

/** The endpoint for deliveries. It answers 200 once the event is stored. After any other answer the platform keeps it. @spec D1-6.3 */
@Controller()
export class DeliveriesHttp {
  constructor(private readonly deliveries: Deliveries) {}

  @ServesRaw(DELIVERIES)
  async take({ params: { service = '' }, headers, body, inCallersTrace }: RawRequest<'bytes'>): Promise<RawAnswer> {
    if (!SERVICE.test(service)) throw new Refusal('request.not_found').because('Deliver with POST to /hooks/NAME');
    const delivery = await this.deliveries.authenticate(service, headers, body);
    const take = () => this.deliveries.take(delivery);
    await (delivery.isProven ? inCallersTrace(take) : take());
    return { status: 200, body: { stored: true } };
  }
}
