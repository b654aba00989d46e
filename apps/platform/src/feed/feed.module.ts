import { Module } from '@nestjs/common';
import { ChangesHttp } from './changes.http.ts';
import { FeedPartitions } from './partitions.worker.ts';
import { Drains } from './drains.service.ts';

/** The change feed. It needs SLOTS and DRAIN_WRITES from those who put the capabilities together. @spec D1-4.3 */
@Module({ controllers: [ChangesHttp], providers: [Drains, FeedPartitions] })
export class FeedModule {}
