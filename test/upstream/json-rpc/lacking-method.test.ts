import { expect, it } from 'vitest'
import { BadAnswerError, JsonRpcError } from '../../../src/errors.ts'
import { lacksMethod } from '../../../src/upstream/json-rpc/lacking-method.ts'

const said = (message: string, code = -32_000, retryable = false): JsonRpcError =>
  new JsonRpcError(message, code, undefined, retryable)

it.each([
  said('rpc: can\'t find method "platform.getValidatorFeeConfig"'),
  said('rpc: can\'t find service "index.getContainerRange"'),
  said('the method platform.getRewardUTXOs does not exist/is not available', -32_601),
  said('Method not enabled', -32_604),
  said('Unsupported method: eth_getBlockReceipts. See available methods at https://node.example/docs', -32_600),
  said('Method platform.getRewardUTXOs is not whitelisted'),
  said('method info.upgrades not allowed'),
])('$message: the method is not there', (error) => {
  expect(lacksMethod(error)).toBe(true)
})

it.each([
  said('not found'),
  said("asset 'NOPE' not found"),
  said('database closed'),
  said('not found', -32_000, true),
  new BadAnswerError("can't find method"),
])('$message: that says nothing about the method', (error) => {
  expect(lacksMethod(error)).toBe(false)
})
