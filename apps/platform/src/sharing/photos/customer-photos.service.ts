import { Injectable } from '@nestjs/common';
import { PHOTO_SUBJECTS, Refusal, type RawFile } from '@codase/contracts';
import type { StreamedAnswer } from '@codase/runtime/http';
import { movedMeanwhile, Peers } from '../../foundation/peers/index.ts';
import { CONNECTION_SEARCH, Customers } from '../connections/index.ts';
import { piecesElsewhere, servedBytes } from '../../storage/files/index.ts';
import { Photos } from './photos.service.ts';
import { ShownPhotos, type ByCode, type ByConnection } from './shown-photos.service.ts';

type Piece = Awaited<ReturnType<ShownPhotos['ofCard']>>;
type Answer = StreamedAnswer<RawFile>;

/** What customers who are at home in this region see of the photos of services, wherever the company lives. @spec D1-5.8 @gap D1-1 */
@Injectable()
export class CustomerPhotos {
  constructor(
    private readonly customers: Customers,
    private readonly peers: Peers,
    private readonly shown: ShownPhotos,
    private readonly photos: Photos,
  ) {}

  /** Reads the photo on the card of a service, before one connects to it. */
  async ofCard(company_code: string, service_code: string): Promise<Answer> {
    const { region, company_user_id } = await this.customers.companyWith(company_code);
    const by: ByCode = { company_user_id, service_code };
    const piece = (position: number) => this.peers.call(PHOTO_SUBJECTS.ofCard, region, { ...by, position });
    return (region === this.peers.region ? this.here(by) : this.there(piece)).catch((error: unknown) => {
      throw movedMeanwhile(error, 'service.unavailable');
    });
  }

  /** Reads the photo of the service that a customer is connected to. */
  ofConnection(by: ByConnection): Promise<Answer> {
    const subject = PHOTO_SUBJECTS.ofConnection;
    return this.peers.search(subject, { ...by, position: 1 }, CONNECTION_SEARCH, (region) =>
      region === this.peers.region ? this.here(by) : this.there((position) => this.peers.call(subject, region, { ...by, position })),
    );
  }

  private async here(by: ByCode | ByConnection): Promise<Answer> {
    return this.photos.serve(await this.shown.find(by));
  }

  /** Serves a photo of another region piece by piece. The transfer breaks off when the service shows another photo meanwhile. */
  private async there(ask: (position: number) => Promise<Piece>): Promise<Answer> {
    const first = await ask(1);
    const same = async (position: number) => {
      const piece = await ask(position);
      if (piece.photo_id !== first.photo_id) throw new Refusal('service.unavailable');
      return piece;
    };
    return servedBytes(first, piecesElsewhere(first, same), first.size);
  }
}
