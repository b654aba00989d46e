import { describeError } from '../telemetry/index.ts';
import type { Note } from './health.ts';

/** Whether an app can publish on its stream, as a note for readiness: the app goes on without it, its listeners wait. */
export class PublishHealth {
  private fault: string | undefined;

  constructor(private readonly what: string) {}

  published(): void {
    this.fault = undefined;
  }

  failed(error: unknown): void {
    const { 'error.message': message, 'error.type': type } = describeError(error);
    this.fault = message ?? type;
  }

  note(): Note | null {
    return this.fault === undefined ? null : { note: `${this.what} cannot be published: ${this.fault}` };
  }
}
