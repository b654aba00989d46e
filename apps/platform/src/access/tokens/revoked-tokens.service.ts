import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ProjectionReader } from '@codase/runtime/bus';
import type { Claims } from './access-token.ts';
import { ALL_SESSIONS, type REVOCATIONS } from './revocations.ts';

export const REVOCATION_ROWS = Symbol('ended sessions');

/** The tokens that ended before they expired, known at every base. */
@Injectable()
export class RevokedTokens implements OnApplicationShutdown {
  constructor(@Inject(REVOCATION_ROWS) private readonly rows: ProjectionReader<typeof REVOCATIONS.shape>) {}

  has({ sid, jti, iat }: Pick<Claims, 'sid' | 'jti' | 'iat'>): boolean {
    if (this.rows.get(jti) !== undefined) return true;
    return sid !== undefined && (this.rows.get(sid) !== undefined || this.isOfAllEnded(iat));
  }

  private isOfAllEnded(iat: number): boolean {
    const before = this.rows.get(ALL_SESSIONS)?.before;
    return before !== undefined && iat * 1000 < Date.parse(before);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rows.close();
  }
}
