import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ProjectionReader } from '@cds/runtime/bus';
import type { Claims } from './access-token.ts';
import type { REVOCATIONS } from './revocations.ts';

export const REVOCATION_ROWS = Symbol('ended sessions');

/** Every base knows which tokens ended before their time. */
@Injectable()
export class RevokedTokens implements OnApplicationShutdown {
  constructor(@Inject(REVOCATION_ROWS) private readonly rows: ProjectionReader<typeof REVOCATIONS.shape>) {}

  has({ sid, jti }: Pick<Claims, 'sid' | 'jti'>): boolean {
    return this.rows.get(jti) !== undefined || (sid !== undefined && this.rows.get(sid) !== undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rows.close();
  }
}
