import { Module } from '@nestjs/common';
import { Home } from './home.service.ts';
import { HOMES } from './homes.ts';
import { ModeSwitchBus } from './modes/mode-switch.bus.ts';
import { ModeSwitch } from './modes/mode-switch.service.ts';
import { Modes } from './modes/modes.service.ts';

/** The modes of all regions, which the front door keeps. */
@Module({ controllers: [ModeSwitchBus], providers: [Modes, ModeSwitch], exports: [Modes] })
export class FrontDoorRegions {}

/** Who lives in this region, and whether it saves. */
@Module({ providers: [Modes, Home, { provide: HOMES, useExisting: Home }], exports: [Modes, Home, HOMES] })
export class RegionRegions {}
