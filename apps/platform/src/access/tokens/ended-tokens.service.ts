import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ProjectionReader } from '@cds/runtime/bus';
import type { Claims } from './access-token.ts';
import type { ENDED } from './ended.ts';

export const ENDED_ROWS = Symbol('ended sessions');

/** Every base knows which tokens ended before their time. */
@Injectable()
export class EndedTokens implements OnApplicationShutdown {
  constructor(@Inject(ENDED_ROWS) private readonly rows: ProjectionReader<typeof ENDED.shape>) {}

  has({ sid, jti }: Pick<Claims, 'sid' | 'jti'>): boolean {
    return this.rows.get(jti) !== undefined || (sid !== undefined && this.rows.get(sid) !== undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rows.close();
  }
}
