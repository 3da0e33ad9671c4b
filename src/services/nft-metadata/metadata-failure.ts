import { FirnError } from '../../errors.ts'

/** Why a token has no metadata, in the words of the API's enum. */
export type FailureStatus =
  | 'MISSING_TOKEN'
  | 'INVALID_TOKEN_URI'
  | 'INVALID_TOKEN_URI_SCHEME'
  | 'UNREACHABLE_TOKEN_URI'
  | 'THROTTLED_TOKEN_URI'
  | 'METADATA_CONTENT_TOO_LARGE'
  | 'INVALID_METADATA'
  | 'INVALID_METADATA_JSON'

/** A fault of the token or its host, which is stored. Problems of the chain are not. */
export class MetadataFailure extends FirnError {
  readonly metadataStatus: FailureStatus
  /** Milliseconds that the host asked for. */
  readonly retryAfterMs: number | undefined
  constructor(metadataStatus: FailureStatus, message: string, retryAfterMs?: number) {
    super(message, { code: 'NFT_METADATA', status: 502 })
    this.metadataStatus = metadataStatus
    this.retryAfterMs = retryAfterMs
  }
}
