export { WebhookDelivery } from './delivery/delivery.module.ts';
export { DELIVERY_REGIONS, OUTBOUND } from './delivery/delivery.worker.ts';
export { Outgoing } from './delivery/outgoing.service.ts';
export { RegionDelivery, type DeliveryRegion } from './delivery/region-delivery.service.ts';
export { WebhooksModule } from './webhooks.module.ts';
