import { expect, it } from 'vitest'
import { BlockLostError, callFailure, isRefusal, isToldTooMuch } from '../../../../src/chains/evm/read/call-failure.ts'
import {
  BadAnswerError,
  CancelledError,
  DeadlineError,
  JsonRpcError,
  UpstreamRateLimitedError,
  UpstreamUnavailableError,
} from '../../../../src/errors.ts'

// Texts as public nodes and providers send them.
it.each([
  ['out of gas', 'too-much'],
  ['EVM error OutOfGas', 'too-much'],
  ['contract creation code storage out of gas', 'too-much'],
  ['max code size exceeded', 'too-much'],
  ['max initcode size exceeded: code size 60000 limit 49152', 'too-much'],
  ['execution aborted (timeout = 5s)', 'too-much'],
  ['err: intrinsic gas too low (supplied gas 1)', 'too-much'],
  ['response size exceeded the maximum of 10485760', 'too-much'],
  ['Response is too big', 'too-much'],
  ['CreateContractSizeLimit', 'too-much'],
  ['gas required exceeds allowance (50000000)', 'too-much'],
  ['request timed out', 'too-much'],
  ['header not found', 'block-missing'],
  ['block not found', 'block-missing'],
  ['header for hash not found', 'block-missing'],
  ['block 0x5d06d4d1d8ffd4c3a15a4ea0a2a7bd2fb5d7ae51e6a83cd9ca3a5c1b9d5e4a10 not found', 'block-missing'],
  ['cannot query unfinalized data', 'block-missing'],
  ['requested block 9 after last accepted block 8', 'block-missing'],
  ['missing trie node 0a (path ) state is not available', 'block-missing'],
  ['BlockOutOfRangeError: block height is 5 but requested was 9', 'block-missing'],
  ['Cannot find header for block number 12', 'block-missing'],
  ['unsupported block number 124728734', 'block-missing'],
  ['No state available for block 0x12', 'block-missing'],
  ['World state unavailable', 'block-missing'],
  ['Unknown state. First available state is 1', 'block-missing'],
  ['Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode', 'block-missing'],
  ['25000000 could not be found', 'block-missing'],
  ['no state found for block number 49107280', 'block-missing'],
  ["Block with such an ID doesn't exist yet", 'block-missing'],
  ['height 101 must be less than or equal to the current blockchain height 100', 'block-missing'],
  ['requested height 12 is not yet available; safe latest is 10', 'block-missing'],
  ['the header does not exist (block number: 12)', 'block-missing'],
  ['cannot query with height in the future; please provide a valid height: invalid height', 'block-missing'],
  ["requested a future epoch (beyond 'latest')", 'block-missing'],
  ['failed to load state at height 12; version does not exist (latest height: 900)', 'block-missing'],
  ['tx.origin 0x00 is not authorized to deploy a contract', 'refused'],
  ['execution reverted', 'refused'],
  ['missing value for required argument 0: to', 'refused'],
  ['rate limit exceeded', 'transport'],
  ['Your app has exceeded its compute units per second capacity', 'transport'],
])('takes "%s" for %s', (text, kind) => {
  expect(callFailure(new JsonRpcError(text, -32000))).toBe(kind)
})

it('reads the kinds of our own errors', () => {
  expect(callFailure(new UpstreamUnavailableError('node.example: answer above 100 bytes'))).toBe('too-much')
  expect(callFailure(new UpstreamUnavailableError('node.example: status 413'))).toBe('too-much')
  expect(callFailure(new UpstreamUnavailableError('node.example no answer in time'))).toBe('too-much')
  expect(callFailure(new BadAnswerError('node.example: answer above 100 bytes'))).toBe('too-much')
  expect(callFailure(new UpstreamUnavailableError('node.example: header not found'))).toBe('block-missing')
  // Smaller calls would only be more of them.
  expect(callFailure(new UpstreamUnavailableError('node.example: rate limit: 100 calls exceeded'))).toBe('transport')
  expect(callFailure(new UpstreamRateLimitedError('node.example: limit of calls exceeded'))).toBe('transport')
  expect(callFailure(new UpstreamUnavailableError('a.example connect timeout'))).toBe('transport')
  expect(callFailure(new UpstreamUnavailableError('connection refused'))).toBe('transport')
  expect(callFailure(new BadAnswerError('packed balances are damaged'))).toBe('refused')
  expect(callFailure(new BlockLostError('upstreams disagree about block 100'))).toBe('block-missing')
  expect(callFailure(new DeadlineError('8000 ms'))).toBe('transport')
  expect(callFailure(new CancelledError())).toBe('transport')
  expect(callFailure(new UpstreamRateLimitedError('limit'))).toBe('transport')
  expect(callFailure(new Error('out of gas'))).toBe('transport')
})

it.each([
  ['tx.origin 0x00 is not authorized to deploy a contract', { isRefusal: true, isToldTooMuch: false }],
  ['execution reverted', { isRefusal: false, isToldTooMuch: false }],
  ['out of gas', { isRefusal: false, isToldTooMuch: true }],
  ['execution aborted (timeout = 5s)', { isRefusal: false, isToldTooMuch: false }],
  ['header not found', { isRefusal: false, isToldTooMuch: false }],
  ['rate limit exceeded', { isRefusal: false, isToldTooMuch: false }],
])('what "%s" says of the node, and of the token', (text, expected) => {
  const error = new JsonRpcError(text, -32000)
  expect({ isRefusal: isRefusal(error), isToldTooMuch: isToldTooMuch(error) }).toEqual(expected)
})

// Nethermind says no more in the message than that it failed.
it.each([
  ['err: OutOfGas (supplied gas 100000000)', 'too-much', { isRefusal: false, isToldTooMuch: true }],
  ['gas limit below intrinsic gas', 'too-much', { isRefusal: false, isToldTooMuch: true }],
  ['err: revert (supplied gas 36000000)', 'refused', { isRefusal: false, isToldTooMuch: false }],
  ['err: BadInstruction (supplied gas 36000000)', 'refused', { isRefusal: true, isToldTooMuch: false }],
])('reads "%s" beside the message', (data, kind, expected) => {
  const error = new JsonRpcError('VM execution error.', -32015, data)
  expect(callFailure(error)).toBe(kind)
  expect({ isRefusal: isRefusal(error), isToldTooMuch: isToldTooMuch(error) }).toEqual(expected)
})

it('silence of a node, or nonsense, is neither a refusal nor a word about the token', () => {
  const errors = [
    new BadAnswerError('packed balances are damaged'),
    new UpstreamUnavailableError('node.example: answer above 100 bytes'),
    new DeadlineError('8000 ms'),
  ]
  expect(errors.map((error) => isRefusal(error) || isToldTooMuch(error))).toEqual([false, false, false])
})
