import { describe, expect, it } from 'vitest'
import { saysAbsent } from '../../../../src/chains/avalanche/node/refusals.ts'
import { BadAnswerError, JsonRpcError } from '../../../../src/errors.ts'

const said = (message: string, code = -32_000, retryable = false): JsonRpcError =>
  new JsonRpcError(message, code, undefined, retryable)

describe('what a refusal means', () => {
  it.each([said('not found'), said("transaction doesn't create an asset"), said("asset 'NOPE' not found")])(
    '$message: the thing is not there',
    (error) => {
      expect(saysAbsent(error)).toBe(true)
    },
  )

  it.each([
    said('rpc: can\'t find method "platform.getValidatorFeeConfig"'),
    said('Method platform.getRewardUTXOs not found'),
    said('not found', -32_601),
    said('database closed'),
    said('chain is not linearized'),
    said('not found', -32_000, true),
    new BadAnswerError('not found'),
  ])('$message: that says nothing about the thing', (error) => {
    expect(saysAbsent(error)).toBe(false)
  })
})
