import { FirnError } from '../../errors.ts'

/** Why an admin call is refused; the message is the node's own text. */
export class AdminError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'ADMIN', status: 400, expose: true })
  }
}
