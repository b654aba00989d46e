import { Controller } from '@nestjs/common';
import { access, type Input } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { SignUpService } from './sign-up.service.ts';

@Controller()
export class SignUpHttp {
  constructor(private readonly signUps: SignUpService) {}

  @Serves(access.signUp)
  signUp({ body }: Input<typeof access.signUp>) {
    return this.signUps.signUp(body);
  }
}
