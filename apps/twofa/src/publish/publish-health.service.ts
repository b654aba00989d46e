import type { Note } from '@cds/runtime/service';
import { describeError } from '@cds/runtime/telemetry';

/** Whether outcomes get onto the stream, for readiness. Logins go on without it; who hears of their outcomes there waits. */
export class PublishHealth {
  private fault: string | undefined;

  published(): void {
    this.fault = undefined;
  }

  failed(error: unknown): void {
    const { 'error.message': message, 'error.type': type } = describeError(error);
    this.fault = message ?? type;
  }

  note(): Note | null {
    return this.fault === undefined ? null : { note: `outcomes cannot be published: ${this.fault}` };
  }
}
