import { Module } from '@nestjs/common';
import { OperationsService } from './operations/operations.service.ts';
import { RoutingService } from './routing/routing.service.ts';
import { TokensService } from './tokens/tokens.service.ts';

@Module({ providers: [TokensService, RoutingService, OperationsService] })
export class GatewayModule {}
