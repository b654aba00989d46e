export { apiUrlOf, BASES, HERE, type Bases, type Here } from './bases.ts';
export { Home, HOME_LOCK } from './home.service.ts';
export { HOMES, type Homes } from './homes.ts';
export { MODES } from './modes/mode.ts';
export { MODE_ROWS, Modes } from './modes/modes.service.ts';
export { FrontDoorRegions, RegionRegions } from './regions.module.ts';
