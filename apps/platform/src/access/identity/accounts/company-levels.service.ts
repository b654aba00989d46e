import { Injectable } from '@nestjs/common';
import { FRONT_DOOR, Level, Refusal } from '@codase/contracts';
import { FrontDoorRequests } from '../../../foundation/regions/index.ts';

/** Asks the front door for the levels of companies, which only the front door knows. Ask before a transaction begins. */
@Injectable()
export class CompanyLevels {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  async levelOf(company_user_id: string): Promise<Level> {
    return (await this.frontDoor.request(FRONT_DOOR.accountOf, {}, { user_id: company_user_id })).level;
  }

  /** Refuses a company whose level is below the one that a feature needs. */
  async require(company_user_id: string, least: Level, what: string): Promise<void> {
    const level = await this.levelOf(company_user_id);
    if (Level.options.indexOf(level) >= Level.options.indexOf(least)) return;
    throw new Refusal('account.level_required').because(`${what} need the level ${least} or above`);
  }
}
