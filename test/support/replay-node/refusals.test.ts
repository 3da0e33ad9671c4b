import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReplayNode, startReplayNode } from './index.ts'

const LAB = '0xbd1d2FA7B0576DFD71c83dcB2bB9151135E926Fe'
const UNKNOWN = '2Z36RnQuk1hvsnFeGWzfZUfXNr7w1SjzmDQ78YxfTVNAkDq3nZ'
const ARGUMENT =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls"
const NUMBER_AS_UINT = 'invalid argument 1: json: cannot unmarshal non-string into Go value of type hexutil.Uint'
const FIELD = (field: string, type: string) => `into Go struct field ${field} of type ${type}`

/** What avalanchego 1.14.2 answers, read off one that ran alone. */
describe('what a node refuses is refused in its words', () => {
  let node: ReplayNode
  beforeAll(async () => {
    node = await startReplayNode({ facts: false })
  })
  afterAll(() => node.stop())

  async function said(path: string, method: string, params: unknown): Promise<unknown> {
    const body = typeof params === 'string' ? params : JSON.stringify(params)
    const response = await fetch(node.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${body}}`,
    })
    const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
    return answer.error?.message ?? answer.result
  }

  it.each<[string, unknown, unknown]>([
    ['eth_getBalance', [LAB, '0x8000000000000000'], 'invalid argument 1: blocknumber too high'],
    ['eth_getBlockByNumber', ['0x8000000000000000', false], 'invalid argument 0: block number larger than int64'],
    ['eth_getTransactionCount', ['0x00000000000000000000000000000000deadbeef', 'accepted'], '0x0'],
    [
      'eth_getCode',
      [LAB, { blockHash: '0x12' }],
      'invalid argument 1: json: cannot unmarshal object into Go value of type string',
    ],
    ['eth_getTransactionByBlockNumberAndIndex', ['0x5', 0], NUMBER_AS_UINT],
    ['eth_getUncleByBlockNumberAndIndex', ['0x5', '0x0'], null],
    ['eth_getRawTransactionByHash', [`0x${'ab'.repeat(32)}`], '0x'],
    ['eth_getStorageAt', [LAB], 'missing value for required argument 1'],
    ['eth_getProof', [LAB, [], '0xffffff'], 'cannot query unfinalized data'],
    [
      'eth_estimateGas',
      ['x'],
      'invalid argument 0: json: cannot unmarshal string into Go value of type ethapi.TransactionArgs',
    ],
    [
      'eth_call',
      [{ to: LAB, data: '0x1' }, 'latest'],
      `invalid argument 0: json: cannot unmarshal hex string of odd length ${FIELD('TransactionArgs.data', 'hexutil.Bytes')}`,
    ],
    [
      'eth_call',
      [{ to: LAB, value: 1 }, 'latest'],
      `invalid argument 0: json: cannot unmarshal non-string ${FIELD('TransactionArgs.value', '*hexutil.Big')}`,
    ],
    [
      'eth_call',
      [{ to: LAB }, 'latest', 'x'],
      'invalid argument 2: json: cannot unmarshal string into Go value of type ethapi.StateOverride',
    ],
    ['eth_getLogs', [5], 'invalid argument 0: json: cannot unmarshal number into Go value of type filters.input'],
    ['eth_getLogs', [{ address: [''] }], 'invalid argument 0: invalid address at index 0: empty hex string'],
    ['eth_getLogs', [{ toBlock: 'earliest' }], 'begin block 646 is greater than end block 0'],
    ['eth_getLogs', [{ fromBlock: '0xffffff' }], 'requested from block 16777215 after last accepted block 646'],
    ['eth_getFilterLogs', [5], 'invalid argument 0: json: cannot unmarshal number into Go value of type rpc.ID'],
    ['eth_feeHistory', ['0x1', 'latest'], 'missing value for required argument 2'],
    ['eth_feeHistory', ['0x1', '0xffffff', []], 'request beyond head block: requested 16777215, head 646'],
    ['eth_gasPrice', [1], 'too many arguments, want at most 0'],
    ['eth_sendRawTransaction', ['0x02c0'], 'rlp: too few elements for types.DynamicFeeTx'],
    ['web3_sha3', [''], '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['net_subscribe', ['newHeads'], 'notifications not supported'],
  ])('%s %j', async (method, params, message) => {
    expect(await said('/ext/bc/C/rpc', method, params)).toEqual(message)
  })

  it.each<[string, unknown, unknown]>([
    ['getTxStatus', `{"txID":5,"txID":"${UNKNOWN}"}`, ARGUMENT],
    ['getTxStatus', `{"txID":"${UNKNOWN}","txID":null}`, { status: 'Unknown' }],
    ['getValidatorsAt', { height: '18446744073709551615' }, ARGUMENT],
    ['sampleValidators', { subnetID: UNKNOWN }, { validators: [] }],
    ['getCurrentValidators', { nodeIDs: [null] }, { validators: [] }],
    [
      'getBlockchainStatus',
      { blockchainID: '0OIl' },
      `problem parsing blockchainID "0OIl": base58 decoding error: Invalid base58 digit ('0')`,
    ],
    [
      'getBalance',
      { addresses: [`P-${'q'.repeat(91)}`] },
      `couldn't parse address "P-${'q'.repeat(91)}": invalid bech32 string length 91`,
    ],
    [
      'getBalance',
      { addresses: ['P- fuji1qqqqqqqqq'] },
      `couldn't parse address "P- fuji1qqqqqqqqq": invalid character in string: ' '`,
    ],
    ['getUTXOs', { addresses: [], startIndex: { address: 5 } }, ARGUMENT],
    ['issueTx', { tx: '', encoding: 'json' }, "couldn't parse tx: couldn't parse tx: couldn't unpack codec version"],
  ])('platform.%s %j', async (method, params, message) => {
    expect(await said('/ext/bc/P', `platform.${method}`, params)).toEqual(message)
  })
})
