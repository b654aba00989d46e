export { FrontDoorMoves, RegionMoves } from './moves.module.ts';
