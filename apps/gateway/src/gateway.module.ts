import { Module } from '@nestjs/common';
import { LimitsService } from './limits/limits.service.ts';
import { OperationsBus } from './operations/operations.bus.ts';
import { OperationsService } from './operations/operations.service.ts';
import { RetryingCaller } from './routing/retrying-caller.service.ts';
import { RoutingService } from './routing/routing.service.ts';
import { ShutdownService } from './shutdown.service.ts';
import { DoorService } from './streams/door.service.ts';
import { TokensService } from './tokens/tokens.service.ts';

@Module({
  controllers: [OperationsBus],
  providers: [LimitsService, RetryingCaller, TokensService, RoutingService, OperationsService, DoorService, ShutdownService],
})
export class GatewayModule {}
