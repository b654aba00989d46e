import { Module } from '@nestjs/common';
import { Modes } from '../../regions/index.ts';
import { DeliveryWorker } from './delivery.worker.ts';

/** Webhooks out. @spec D1-6.3 */
@Module({ providers: [Modes, DeliveryWorker] })
export class WebhookDelivery {}
