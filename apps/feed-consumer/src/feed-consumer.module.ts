import { Module } from '@nestjs/common';
import { FEED } from '@codase/contracts';
import { makesConsumersOf } from '@codase/runtime/nest-bus';
import { RelayWorker } from './publish/relay.worker.ts';
import { ResendBus } from './publish/resend.bus.ts';
import { StreamWatch } from './publish/stream-watch.service.ts';
import { ChannelsStore } from './pull/channels.store.ts';
import { Drains } from './pull/drains.service.ts';
import { PullWorker } from './pull/pull.worker.ts';
import { CompareBus } from './reconcile/compare.bus.ts';
import { KnownStore } from './reconcile/known.store.ts';
import { ReconcileService } from './reconcile/reconcile.service.ts';
import { SpoolLimit } from './spool/spool-limit.service.ts';
import { Spool } from './spool/spool.store.ts';
import { DeliveriesHttp } from './webhooks/deliveries.http.ts';
import { Deliveries } from './webhooks/deliveries.service.ts';

@Module({
  controllers: [ResendBus, CompareBus, DeliveriesHttp],
  providers: [
    Spool,
    SpoolLimit,
    ChannelsStore,
    KnownStore,
    ReconcileService,
    Drains,
    PullWorker,
    RelayWorker,
    StreamWatch,
    makesConsumersOf(FEED.stream!),
    Deliveries,
  ],
})
export class FeedConsumerModule {}
