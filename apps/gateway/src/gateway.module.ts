import { Module } from '@nestjs/common';
import { LimitsService } from './limits/limits.service.ts';
import { OperationsService } from './operations/operations.service.ts';
import { PersistenceService } from './routing/persistence.service.ts';
import { RoutingService } from './routing/routing.service.ts';
import { DoorService } from './streams/door.service.ts';
import { TokensService } from './tokens/tokens.service.ts';

@Module({ providers: [LimitsService, PersistenceService, TokensService, RoutingService, OperationsService, DoorService] })
export class GatewayModule {}
