import { FirnError } from '../../errors.ts'

/** Why a password, a token or a request about them is refused; the message is the node's own text. */
export class AccessTokenError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'ACCESS_TOKEN', status: 401, expose: true })
  }
}
