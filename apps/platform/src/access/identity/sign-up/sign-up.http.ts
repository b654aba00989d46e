import { Controller } from '@nestjs/common';
import { identity, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { SignUpService } from './sign-up.service.ts';

@Controller()
export class SignUpHttp {
  constructor(private readonly signUps: SignUpService) {}

  @Serves(identity.signUp)
  signUp({ body }: Input<typeof identity.signUp>, _: Caller<typeof identity.signUp>, { address }: Call) {
    return this.signUps.begin(body, address);
  }

  @Serves(identity.confirmSignUp)
  confirm({ params, body }: Input<typeof identity.confirmSignUp>) {
    return this.signUps.confirm(params.signUpId, body.code);
  }
}
