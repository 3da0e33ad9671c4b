import { describe, expect, it } from 'vitest'
import { namedByIds } from '../../../../src/api/node/forward/named-by-ids.ts'
import { type Front, gorillaCall, nodeAt, startFront } from '../fake-nodes.ts'

const P = '11111111111111111111111111111111LpoYY'
const X = '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ'
const NAMES: Record<string, string> = { mine: X, '': X, 'é"': X, uno: P, 'a$`$$': X }

const changed = (method: string, params: string): string | undefined =>
  namedByIds(method, Buffer.from(params), (alias) => NAMES[alias])?.params.toString()

describe('params that name chains by aliases made here', () => {
  it.each([
    ['platform.getBlockchainStatus', '{"blockchainID":"mine"}', `{"blockchainID":"${X}"}`],
    ['platform.getBlockchainStatus', '[ {"BlockchainID" : "m\\u0069ne"} ,5]', `[ {"BlockchainID" : "${X}"} ,5]`],
    ['platform.getUTXOs', '{"sourceChain":"mine","limit":18446744073709551615}', undefined],
    ['avax.getUTXOs', '{"startIndex":{"utxo":"u","address":"mine-fuji1"}}', undefined],
    ['avm.getUTXOs', '{"addresses":["mine-fuji1-mine",null,"X-fuji1"]}', undefined],
    ['avm.getBalance', '{"assetID":"mine","address":"é\\"-fuji1"}', `{"assetID":"mine","address":"${X}-fuji1"}`],
    ['platform.getStake', '{"addresses":["uno-fuji1","mine-fuji1"]}', undefined],
    ['platform.getBlockchainStatus', '{"blockchainID":"uno","blockchainID":"mine"}', undefined],
  ])('%s %s', (method, params, expected) => {
    const byHand = params.replaceAll(/"(mine|uno)(?=["-])/g, (_, name) => `"${NAMES[name]}`)
    expect(changed(method, params)).toBe(expected ?? byHand)
  })

  it.each([
    ['platform.getBlockchainStatus', '{"blockchainID":"X"}'],
    // A chain that is not named is the one that was called.
    ['platform.getUTXOs', '{"sourceChain":"","addresses":["fuji1"]}'],
    ['platform.getTx', '{"txID":"mine"}'],
    ['platform.getBalance', '{"addresses":"mine'],
    ['platform.getBalance', '{"addresses":["\\x"]}'],
    ['platform.getBalance', '"mine"'],
    ['constructor', '{"addresses":["mine-fuji1"]}'],
  ])('%s %s goes out as it came', (method, params) => {
    expect(changed(method, params)).toBeUndefined()
  })

  it('are told in an error as they were sent', () => {
    const named = namedByIds('platform.getBalance', Buffer.from('{"addresses":["mine-é"]}'), (alias) => NAMES[alias])
    const error = (name: string) =>
      `{"jsonrpc":"2.0","error":{"code":-32000,"message":"couldn't parse address \\"${name}-é\\"","data":null},"id":1}\n`
    expect(named?.inOwnNames(Buffer.from(error(X))).toString()).toBe(error('mine'))
    const odd = namedByIds('platform.getBalance', Buffer.from('{"addresses":["a$`$$-é"]}'), (alias) => NAMES[alias])
    expect(odd?.inOwnNames(Buffer.from(error(X))).toString()).toBe(error('a$`$$'))
    const result = Buffer.from(`{"jsonrpc":"2.0","result":{"of":"${X}-é"},"id":1}\n`)
    expect(named?.inOwnNames(result)).toBe(result)
  })
})

it('more names than a node takes go out as they came: millions of them stopped the server for seconds', () => {
  const params = (count: number) => `{"addresses":[${Array(count).fill('"mine-fuji1"').join(',')}]}`
  expect(changed('platform.getUTXOs', params(1_024))).toBe(params(1_024).replaceAll('mine', X))
  expect(changed('platform.getUTXOs', params(20_000))).toBeUndefined()
})

const sent = (front: Front): string[] => nodeAt(front, 0).asked.map(({ body }) => body.toString())

it('an alias of a chain may replace its ID in params, too: a node is asked by the ID', async () => {
  const front = await startFront(1, { node: { api: { admin: { enabled: true } } } })
  const made = await front.post('/ext/admin', gorillaCall('admin.aliasChain', '{"chain":"P","alias":"uno"}'))
  expect(made.text).toBe('{"jsonrpc":"2.0","result":{},"id":1}\n')
  await front.post('/ext/bc/P', gorillaCall('platform.getBlockchainStatus', '{"blockchainID":"uno"}', '"a"'))
  await front.post('/ext/bc/X', gorillaCall('avm.getUTXOs', '{"addresses":["X-fuji1"],"sourceChain":"uno"}'))
  const odd = '{"jsonrpc":"2.0", "id":1,"method":"platform.getBlockchainStatus","params": {"blockchainID" : "P"} } '
  await front.post('/ext/bc/P', odd)
  expect(sent(front)).toEqual([
    gorillaCall('platform.getBlockchainStatus', `{"blockchainID":"${P}"}`, '"a"'),
    gorillaCall('avm.getUTXOs', `{"addresses":["X-fuji1"],"sourceChain":"${P}"}`),
    odd,
  ])
})
