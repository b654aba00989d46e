import { Module } from '@nestjs/common';
import { GATEKEEPER } from '@codase/runtime/http';
import { SETTINGS, type Settings } from './config.ts';
import { ForwarderBus } from './forwarder/forwarder.bus.ts';
import { LimitsService } from './limits/limits.service.ts';
import { ReplicasBus } from './limits/replicas.bus.ts';
import { OperationsBus } from './operations/operations.bus.ts';
import { RetryingCaller } from './routing/retrying-caller.service.ts';
import { RoutingService } from './routing/routing.service.ts';
import { CallerTokens } from './streams/caller-tokens.ts';
import { streamsGatekeeper } from './streams/streams-gatekeeper.service.ts';
import { StreamsHttp } from './streams/streams.http.ts';
import { TokensService } from './tokens/tokens.service.ts';

@Module({
  controllers: [OperationsBus, ForwarderBus, ReplicasBus, StreamsHttp],
  providers: [
    LimitsService,
    RetryingCaller,
    TokensService,
    RoutingService,
    { provide: CallerTokens, useFactory: ({ callers }: Settings) => new CallerTokens(callers), inject: [SETTINGS] },
    { provide: GATEKEEPER, useFactory: streamsGatekeeper, inject: [CallerTokens] },
  ],
})
export class GatewayModule {}
