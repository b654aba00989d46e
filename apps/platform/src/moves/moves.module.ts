import { Module } from '@nestjs/common';
import { FrontDoorClients } from '../clients/index.ts';
import { RegionRegions } from '../regions/index.ts';
import { CompanyRows } from './company-rows.store.ts';
import { MigrateRegionHttp } from './migrate-region.http.ts';
import { MoveSource } from './move-source.service.ts';
import { MoveSteps } from './move-steps.service.ts';
import { MoveTarget } from './move-target.service.ts';
import { MoveTurns } from './move-turns.service.ts';
import { MovesBus } from './moves.bus.ts';
import { Moves } from './moves.service.ts';
import { MovesStore } from './moves.store.ts';
import { MovesWorker } from './moves.worker.ts';
import { RegionMovesBus } from './region-moves.bus.ts';

/** The front door begins moves and sees them through. */
@Module({ imports: [FrontDoorClients], controllers: [MovesBus], providers: [MovesStore, MoveSteps, MovesWorker, Moves] })
export class FrontDoorMoves {}

/** A region lets companies go and takes them in. */
@Module({
  imports: [RegionRegions],
  controllers: [MigrateRegionHttp, RegionMovesBus],
  providers: [MoveTurns, CompanyRows, MoveSource, MoveTarget],
})
export class RegionMoves {}
