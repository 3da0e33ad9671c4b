import { FirnError } from '../../../errors.ts'

/** An upstream serves another chain than configured: its numbers must not be shown under this one. */
export class WrongChainError extends FirnError {
  constructor(pool: string, configured: bigint, served: bigint) {
    super(`upstream of ${pool} serves chain ${served}, configured is chain ${configured}`, {
      code: 'WRONG_CHAIN',
      status: 502,
      expose: true,
    })
  }
}
