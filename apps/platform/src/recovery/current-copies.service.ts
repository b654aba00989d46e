import { Inject, Injectable } from '@nestjs/common';
import type { RecoveryKind } from '@cds/contracts';
import type { CopyRow } from './recovery-copies.store.ts';
import { RECOVERY_SUBJECTS, type RecoverySubject, type RecoverySubjects } from './recovery-subjects.hook.ts';

/** Knows of which secrets there can be copies, and which copies are copies of a secret that is still good. */
@Injectable()
export class CurrentCopies {
  constructor(@Inject(RECOVERY_SUBJECTS) private readonly sources: readonly RecoverySubjects[]) {}

  /** Returns the subject of a copy if the company has it. */
  async subjectOf(company_user_id: string, kind: RecoveryKind, subject_id: string): Promise<RecoverySubject | undefined> {
    return (await this.subjects(company_user_id, kind, [subject_id])).get(subject_id);
  }

  /** Returns those of the copies whose subject still has the secret that they are copies of. */
  async among<C extends CopyRow>(company_user_id: string, copies: readonly C[]): Promise<C[]> {
    const kinds = [...new Set(copies.map(({ kind }) => kind))];
    const found = new Map<RecoveryKind, ReadonlyMap<string, RecoverySubject>>();
    for (const kind of kinds) {
      const ids = copies.filter((copy) => copy.kind === kind).map(({ subject_id }) => subject_id);
      found.set(kind, await this.subjects(company_user_id, kind, [...new Set(ids)]));
    }
    return copies.filter(({ kind, subject_id, secret_id }) => found.get(kind)?.get(subject_id)?.secret_id === secret_id);
  }

  private async subjects(company_user_id: string, kind: RecoveryKind, ids: readonly string[]): Promise<Map<string, RecoverySubject>> {
    const of = this.sources.filter((source) => source.kind === kind);
    return new Map((await Promise.all(of.map((source) => source.find(company_user_id, ids)))).flatMap((found) => [...found]));
  }
}
