import { Controller } from '@nestjs/common';
import { identity, type Input } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { SignUpService } from './sign-up.service.ts';

@Controller()
export class SignUpHttp {
  constructor(private readonly signUps: SignUpService) {}

  @Serves(identity.signUp)
  signUp({ body }: Input<typeof identity.signUp>) {
    return this.signUps.signUp(body);
  }
}
