import { describe, expect, it } from 'vitest'
import { lacksMethod, saysAbsent } from '../../../../src/chains/avalanche/node/refusals.ts'
import { BadAnswerError, JsonRpcError } from '../../../../src/errors.ts'

const said = (message: string, code = -32_000, retryable = false): JsonRpcError =>
  new JsonRpcError(message, code, undefined, retryable)

describe('what a refusal means', () => {
  it.each([
    said('rpc: can\'t find method "platform.getValidatorFeeConfig"'),
    said('rpc: can\'t find service "index.getContainerRange"'),
    said('the method platform.getRewardUTXOs does not exist/is not available', -32_601),
    said('Method platform.getRewardUTXOs is not whitelisted'),
    said('method info.upgrades not allowed'),
  ])('$message: the method is not there', (error) => {
    expect(lacksMethod(error)).toBe(true)
    expect(saysAbsent(error)).toBe(false)
  })

  it.each([said('not found'), said("transaction doesn't create an asset"), said("asset 'NOPE' not found")])(
    '$message: the thing is not there',
    (error) => {
      expect(saysAbsent(error)).toBe(true)
      expect(lacksMethod(error)).toBe(false)
    },
  )

  it.each([
    said('database closed'),
    said('chain is not linearized'),
    said('not found', -32_000, true),
    new BadAnswerError('not found'),
  ])('$message: trouble, which says nothing', (error) => {
    expect(lacksMethod(error)).toBe(false)
    expect(saysAbsent(error)).toBe(false)
  })
})
