import { FirnError } from '../../errors.ts'

/** A refusal; the message is a node's own text and meant for the caller. */
export class KeystoreError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'KEYSTORE', status: 400, expose: true })
  }
}

/** Unknown user or wrong password: a node does not distinguish them. Its text ends in `: user "<name>"`, quoted. */
export class WrongPasswordError extends KeystoreError {
  readonly username: string
  constructor(username: string) {
    super('incorrect password')
    this.username = username
  }
}

/** More callers wait for a password check than memory allows; the same call may succeed a second later. */
export class KeystoreBusyError extends FirnError {
  constructor() {
    super('too many password checks are waiting', {
      code: 'KEYSTORE_BUSY',
      status: 503,
      retryable: true,
      expose: true,
    })
  }
}
