import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { askField, fillPlugins, type FieldQuestion, type FieldReply } from '../plugins/fill-plugins.ts';
import { PluginQuestions } from '../plugins/plugin-questions.service.ts';
import type { OpenedRun } from '../runs/platform.service.ts';
import { SealingService, type Submission } from '../runs/sealing.service.ts';
import { checkAnswers } from './check-answers.ts';
import { takeFiles, type AnswerFault, type Given } from './given-answers.ts';

/** Turns the answers that were given for a step into the submission for the platform. */
@Injectable()
export class AnswersService {
  constructor(
    private readonly sealing: SealingService,
    private readonly questions: PluginQuestions,
  ) {}

  /** Asks plugins, checks all answers, and seals them for every party. If some do not fit, it returns faults instead. @spec D2-4.2 */
  async prepare(
    service: string,
    opened: OpenedRun,
    answers: Given,
    from_private: ReadonlySet<string>,
  ): Promise<{ submission: Submission } | { faults: AnswerFault[] }> {
    const { bindings, company_user_id } = opened.run;
    const taken = takeFiles(opened.flow.kinds, answers, { users: [...new Set(Object.values(bindings))], company_user_id });
    if ('faults' in taken) return taken;
    const filled = await fillPlugins(opened, taken.given, from_private, this.questions.of(service, opened));
    if ('faults' in filled) return filled;
    const checked = checkAnswers(opened, filled.given, from_private);
    if ('faults' in checked) return checked;
    return { submission: await this.sealing.seal(service, opened.run, checked.turn, taken.files) };
  }

  async askPlugin(service: string, opened: OpenedRun, question: FieldQuestion, from_private: ReadonlySet<string>): Promise<FieldReply> {
    const reply = await askField(opened, question, from_private, this.questions.of(service, opened));
    if ('faults' in reply) throw new Refusal('flows.turn_answer_invalid', { faults: reply.faults });
    return reply;
  }
}
