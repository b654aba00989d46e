import { Module } from '@nestjs/common';
import { Modes } from '../../regions/index.ts';
import { DeliveryBus } from './delivery.bus.ts';
import { DeliveryWorker } from './delivery.worker.ts';

/** Webhooks out. @spec D1-6.3 */
@Module({ controllers: [DeliveryBus], providers: [Modes, DeliveryWorker] })
export class WebhookDelivery {}
