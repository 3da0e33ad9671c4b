import { describe, expect, test } from 'vitest'
import { JsonRpcError } from '../../../src/errors.ts'
import { judgeRpcError, judgeStatus } from '../../../src/upstream/json-rpc/verdicts.ts'

const kindOf = (code: number, message: string): string => {
  const outcome = judgeRpcError('host', { code, message })
  return outcome.kind === 'failure' ? outcome.failure.kind : outcome.kind
}

describe('what a JSON-RPC error means', () => {
  test.each([
    [3, 'execution reverted: nope', 'truth'],
    [-32000, 'execution reverted', 'truth'],
    [-32015, 'VM execution error: Reverted 0x08c379a0 rate limit exceeded', 'truth'],
    // What a contract says is its own word, whatever it sounds like.
    [3, 'Too many requests', 'truth'],
    [-32015, 'header not found', 'truth'],
    [-32602, 'invalid argument 0: too many requests', 'truth'],
    [-32601, 'the method eth_foo does not exist/is not available', 'truth'],
    [-32600, 'invalid request', 'truth'],
    [-32700, 'parse error', 'truth'],
    [-32000, 'insufficient funds for gas * price + value', 'truth'],
    [-32000, 'gas limit exceeded', 'truth'],
    [-32000, 'response size limit exceeded', 'truth'],
    [-32000, 'too many requests, request limit reached', 'rate-limited'],
    [-32000, 'exceeds block gas limit', 'truth'],
    [-32000, 'nonce too low', 'truth'],
    [-32000, 'problem decoding address', 'truth'],
    [-32007, 'Slot 5 was skipped, or missing due to ledger jump to recent snapshot', 'truth'],
    [-32005, 'limit exceeded', 'rate-limited'],
    [-32005, 'daily request count exceeded, request rate limited', 'rate-limited'],
    [-32005, 'query returned more than 10000 results', 'rpc'],
    [-32002, 'not now', 'rpc'],
    [-32000, 'closed', 'rpc'],
    [-32000, 'problem retrieving UTXOs: closed', 'rpc'],
    [-32000, 'the market is closed', 'truth'],
    [429, 'slow down', 'rate-limited'],
    [-32029, 'whatever', 'rate-limited'],
    [-32000, 'Too Many Requests', 'rate-limited'],
    [-32097, 'Your app has exceeded its compute units per second capacity', 'rate-limited'],
    [-32000, 'monthly quota reached', 'rate-limited'],
    [-32007, '50/second request limit reached - reduce calls per second or upgrade your plan', 'rate-limited'],
    [-32005, 'You have reached the maximum CUPS limit', 'rate-limited'],
    [-32000, 'Your app has exceeded its concurrent requests capacity.', 'rate-limited'],
    [-32429, 'max usage reached', 'rate-limited'],
    [-32000, 'You have reached the maximum allowed number of requests', 'rate-limited'],
    [-32005, "You've exceeded the RPS limit available on the current plan.", 'rate-limited'],
    [15, 'Too many request, try again later', 'rate-limited'],
    [-32000, 'Block range limit exceeded. See more details at https://docs.example', 'truth'],
    [-32000, 'account limit exceeded: pooled 16 txs', 'truth'],
    [-32000, 'max call depth exceeded', 'truth'],
    [-32000, 'request beyond historical limit: requested 1, head 30000', 'truth'],
    [-32000, 'cannot query unfinalized data', 'behind'],
    [-32000, 'requested from block 12 to 15 after last accepted block 11', 'behind'],
    [-32000, 'requested epoch 12 after last accepted 11', 'behind'],
    [-32000, 'header not found', 'behind'],
    [-32000, 'header for hash not found', 'behind'],
    [-32000, 'block not found: not accepted yet: block 12', 'behind'],
    [-32000, 'block not found: hash 0x12ab', 'behind'],
    [-32005, 'Node is behind by 42 slots', 'behind'],
    [-32005, 'Node is unhealthy', 'behind'],
    [-32004, 'Block not available for slot 5', 'behind'],
    [-32016, 'Minimum context slot has not been reached', 'behind'],
    // Erigon and reth, Besu, Nethermind, Arbitrum's nodes, proxyd, dRPC.
    [-32000, 'block not found', 'behind'],
    [-32000, 'block not found: 25000000', 'behind'],
    // As geth and its forks, Erigon, and Moonbeam trace.
    [-32000, 'block #25000000 not found', 'behind'],
    [-32000, 'block 0x5d06d4d1d8ffd4c3a15a4ea0a2a7bd2fb5d7ae51e6a83cd9ca3a5c1b9d5e4a10 not found', 'behind'],
    [-32000, 'invalid arguments; block with number 25000000 not found', 'behind'],
    [-32000, 'block 25000000(5d06d4d1d8ffd4c3a15a4ea0a2a7bd2fb5d7ae51e6a83cd9ca3a5c1b9d5e4a10) not found', 'behind'],
    [-32603, 'Block hash not found', 'behind'],
    [-32001, 'Block not found', 'behind'],
    [-32001, 'Cannot find header for block number 12', 'behind'],
    [-32000, 'could not find block 12', 'behind'],
    [-32000, 'unsupported block number 124728734', 'behind'],
    [-32019, 'block is out of range', 'behind'],
    [26, 'Unknown block', 'behind'],
    // Nethermind, reth, servers of zkSync, of chains over CometBFT and of Sei.
    [-32001, '25000000 could not be found', 'behind'],
    [-32001, '0x5d06d4d1d8ffd4c3a15a4ea0a2a7bd2fb5d7ae51e6a83cd9ca3a5c1b9d5e4a10 could not be found', 'behind'],
    [-32603, 'unknown block 0x5d06d4d1d8ffd4c3a15a4ea0a2a7bd2fb5d7ae51e6a83cd9ca3a5c1b9d5e4a10', 'behind'],
    [-32602, "Block with such an ID doesn't exist yet", 'behind'],
    [-32000, 'height 101 must be less than or equal to the current blockchain height 100', 'behind'],
    [-32000, 'block result not found for height 1000', 'behind'],
    // Sei, Kaia, chains over the Cosmos SDK, Filecoin.
    [-32000, 'requested height 12 is not yet available; safe latest is 10', 'behind'],
    [-32000, 'the header does not exist (block number: 12)', 'behind'],
    [-32000, 'the block does not exist (block number: 12)', 'behind'],
    [-32000, 'cannot query with height in the future; please provide a valid height: invalid height', 'behind'],
    [1, "requested a future epoch (beyond 'latest')", 'behind'],
    [-32000, 'failed to load state at height 12; version does not exist (latest height: 900)', 'rpc'],
    [-32603, 'no state found for block number 49107280', 'rpc'],
    [-32000, 'old data not available due to pruning', 'rpc'],
    [-32602, 'Block with such an ID is pruned; the first retained block is 7', 'rpc'],
    [-32000, 'requested height has been pruned', 'rpc'],
    [-32001, '0x5d06d4d1d8ffd4c3a15a4ea0a2a7bd2fb5d7ae51e6a83cd9ca3a5c1b9d5e4a10 receipt could not be found', 'truth'],
    [-32000, 'historical state 197e625e06733f28 is not available', 'rpc'],
    [-32000, 'required historical state unavailable (reexec=128)', 'rpc'],
    [-32002, 'No state available for block 0x12', 'rpc'],
    [-32000, 'World state unavailable', 'rpc'],
    [-32000, 'state at block #12 is pruned', 'rpc'],
    [4444, 'pruned history unavailable', 'rpc'],
    [-32603, 'block #12 is not available, history has expired (earliest available: #15537394)', 'rpc'],
    // Nethermind that has too much to do.
    [-32017, 'Timeout', 'rpc'],
    [-32000, "state histories haven't been fully indexed yet", 'rpc'],
    [-32000, 'transaction indexing is in progress', 'rpc'],
    [27, 'Unknown state. First available state is 1', 'rpc'],
    [-32603, 'Internal error', 'rpc'],
    [-32002, 'request timed out', 'rpc'],
    [-32000, 'missing trie node 1234', 'rpc'],
    // Of a block that is accepted and not executed yet (Helicon), or whose receipts are gone.
    [-32000, 'failed to get logs for block #807 (0xfebacb..270bd2)', 'rpc'],
    [30, 'Request timeout on the free tier, please upgrade your tier to the paid one', 'rpc'],
    [19, 'Temporary internal error. Please retry, trace-id: d13566efdd917dc22e5249387856f00d', 'rpc'],
    [12, "Can't route your request to suitable provider, if you specified certain providers revise the list", 'rpc'],
    [-32000, 'Unable to complete request at this time.', 'rpc'],
    [-32009, 'Server is busy, try again later', 'rpc'],
    [-32011, 'no backend is currently healthy to serve traffic', 'rpc'],
    [-32011, 'no backends available for method', 'rpc'],
    [-32603, 'Internal JSON-RPC error.', 'rpc'],
    [-32046, 'Cannot fulfill request', 'rpc'],
    // Ankr, Alchemy, Helius, dRPC, Infura, Solana's foundation, and a provider that has ended its service.
    [-32000, 'Unauthorized: You must authenticate your request with an API key. Create an account', 'status'],
    [-32600, 'Must be authenticated!', 'status'],
    [-32600, 'App is inactive', 'status'],
    [-32401, 'invalid api key provided', 'status'],
    [4, 'token is invalid', 'status'],
    [35, 'chain is not available on free plan', 'status'],
    [-32052, 'API key is not allowed', 'status'],
    [403, 'Your IP or provider is blocked from this endpoint', 'status'],
    [-32002, 'rejected due to project ID settings', 'status'],
    [403, 'Access forbidden, contact your app developer or support@rpcpool.com.', 'status'],
    [-32603, 'message: API key disabled, reason: tenant disabled, json-rpc code: -32051, rest code: 403', 'status'],
    [-32000, 'Blast API is no longer available. Please update your integration', 'status'],
    // Not for what we pay: others may answer, and these do answer other questions.
    [-32602, 'Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode', 'rpc'],
    [35, 'method is not available on freetier, please upgrade to paid tier', 'rpc'],
    [-32701, 'Please specify an address in your request or order a dedicated full node here: https://a.example', 'rpc'],
    [3, 'execution reverted: Unauthorized', 'truth'],
    [-32000, 'execution reverted: invalid api key', 'truth'],
  ])('%d %s → %s', (code, message, expected) => {
    expect(kindOf(code, message)).toBe(expected)
  })

  test.each([
    [500, 19, 'Temporary internal error. Please retry, trace-id: d13566efdd917dc22e5249387856f00d', 'status'],
    [503, -32011, 'no backend is currently healthy to serve traffic', 'status'],
    [500, -32013, 'backend returned an invalid response', 'status'],
    [408, 30, 'Request timeout on the free plan, please upgrade to paid plan', 'rpc'],
    [500, -32000, 'header not found', 'behind'],
    [500, -32000, 'execution reverted', 'truth'],
    [500, -32000, 'gas required exceeds allowance (50000000)', 'truth'],
    [500, -32602, 'bad address', 'truth'],
    [400, -32000, 'insufficient funds for transfer', 'truth'],
    [403, -32602, 'Request blocked. Details: blocked parameter: params.1.programId', 'rpc'],
    [403, -32603, 'forbidden here', 'status'],
    [403, -32602, 'Archive requests require a personal token.', 'rpc'],
    [402, -32000, 'Payment Required', 'status'],
    [402, -32005, 'daily request count exceeded, request rate limited', 'rate-limited'],
  ])('beside status %d: %d %s → %s', (status, code, message, expected) => {
    const outcome = judgeRpcError('host', { code, message }, status)
    expect(outcome.kind === 'failure' ? outcome.failure.kind : outcome.kind).toBe(expected)
  })

  test.each([
    [200, 3, 'execution reverted', false],
    [200, -32000, 'execution reverted: out of its range', false],
    [200, -32601, 'the method eth_foo does not exist', false],
    [200, -32602, 'bad address', false],
    [200, -32000, 'insufficient funds for transfer', false],
    [200, -32005, 'query returned more than 10000 results', true],
    [500, -32000, 'gas required exceeds allowance (50000000)', false],
    [200, -32000, 'header not found', true],
    [200, -32000, 'missing trie node 1234', true],
    [200, -32603, 'Internal error', true],
    [200, -32046, 'Cannot fulfill request', true],
    [403, -32603, 'forbidden here', true],
    [500, -32013, 'backend returned an invalid response', true],
  ])(
    'that comes with status %d, %d %s: if it is all that anybody says, it may pass: %s',
    (status, code, message, may) => {
      const outcome = judgeRpcError('host', { code, message }, status)
      const said = outcome.kind === 'failure' ? outcome.failure.fallback : outcome
      expect(said).toMatchObject({ kind: 'truth', error: { rpcCode: code, retryable: may } })
    },
  )

  test('the truth carries code and data; URLs never reach a failure text', () => {
    const truth = judgeRpcError('host', { code: 3, message: 'execution reverted', data: '0x12' })
    expect(truth).toMatchObject({ kind: 'truth', error: { rpcCode: 3, data: '0x12', retryable: false } })
    expect(truth.kind === 'truth' && truth.error).toBeInstanceOf(JsonRpcError)
    const failure = judgeRpcError('host', { code: 429, message: 'see https://rpc.example/SECRET-KEY for plans' })
    expect(JSON.stringify(failure)).not.toContain('SECRET')
  })
})

describe('what an HTTP status means', () => {
  test.each([
    [200, undefined, undefined],
    [404, undefined, undefined],
    [400, undefined, undefined],
    [408, undefined, 'status'],
    [429, undefined, 'rate-limited'],
    [500, undefined, 'status'],
    [503, undefined, 'status'],
    [503, '1', 'rate-limited'],
    // Some servers write it beside every answer.
    [500, '1', 'status'],
    [200, '1', undefined],
  ])('%d with retry-after %s → %s', (status, retryAfter, kind) => {
    expect(judgeStatus('host', status, retryAfter)?.kind).toBe(kind)
  })

  test('names the wait, five minutes at most', () => {
    expect(judgeStatus('host', 429, '2')).toMatchObject({ retryAfterMs: 2_000 })
    expect(judgeStatus('host', 503, '99999999999')).toMatchObject({ retryAfterMs: 300_000 })
    expect(judgeStatus('host', 429, 'soon')).not.toHaveProperty('retryAfterMs')
  })

  test.each([
    [
      '{"error":{"code":-32090,"message":"Too many requests, reason: call rate limit exhausted, retry in 10s"}}',
      10_000,
    ],
    ['call rate limit exhausted, retry in 2m5s', 125_000],
    ['call rate limit exhausted, retry in 10m0s', 300_000],
    ['{"data":{"rate":{"allowed_rps":1,"backoff_seconds":30,"current_rps":1.4}}}', 30_000],
  ])('and the wait is in the words where no header has it: %s', (body, wait) => {
    expect(judgeStatus('host', 429, undefined, Buffer.from(body))).toMatchObject({ retryAfterMs: wait })
    expect(judgeStatus('host', 429, '2', Buffer.from(body))).toMatchObject({ retryAfterMs: 2_000 })
  })

  test('an error names its wait, too', () => {
    const message = 'project ID request rate exceeded'
    const data = { rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 1.4 } }
    expect(judgeRpcError('host', { code: -32005, message, data })).toMatchObject({ failure: { retryAfterMs: 30_000 } })
    const huge = { rate: { backoff_seconds: 2n ** 70n }, other: 2n ** 70n }
    expect(judgeRpcError('host', { code: -32005, message, data: huge })).toMatchObject({
      failure: { kind: 'rate-limited' },
    })
    const ankr = 'Too many requests, reason: call rate limit exhausted, retry in 10s'
    expect(judgeRpcError('host', { code: -32090, message: ankr })).toMatchObject({ failure: { retryAfterMs: 10_000 } })
    expect(judgeRpcError('host', { code: 429, message: 'slow down' })).not.toHaveProperty('failure.retryAfterMs')
  })
})
