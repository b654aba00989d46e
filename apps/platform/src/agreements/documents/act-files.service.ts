import { Injectable } from '@nestjs/common';
import { appDocuments, customerDocuments, ownerRuns, runs, type Endpoint } from '@codase/contracts';
import type { BodySink } from '@codase/runtime/http';
import type { StreamedBody } from '../../storage/files/index.ts';
import { ActBox } from './act-file.service.ts';

/** Takes the files of acts while they arrive. They are never stored. */
@Injectable()
export class ActFiles implements StreamedBody {
  readonly takes: readonly Endpoint[] = [
    appDocuments.signDocument,
    appDocuments.acceptDocument,
    customerDocuments.signDocument,
    customerDocuments.acceptDocument,
    runs.signOutput,
    runs.acceptOutput,
    ownerRuns.signOwnOutput,
    ownerRuns.acceptOwnOutput,
  ];

  open(): BodySink {
    return new ActBox();
  }
}
