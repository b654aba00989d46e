import { Module } from '@nestjs/common';
import { OutcomesBus } from './outcomes/outcomes.bus.ts';
import { OutcomesStore } from './outcomes/outcomes.store.ts';

@Module({ controllers: [OutcomesBus], providers: [OutcomesStore] })
export class TwofaModule {}
