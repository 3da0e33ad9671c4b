import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { encodeCb58 } from '../../../../src/lib/bytes/cb58.ts'
import { encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { sha256 } from '../../../../src/lib/bytes/sha256.ts'
import { evmCall, gorillaCall, nodeAt, type Reply, startFront } from '../fake-nodes.ts'

const gorilla = (member: string): Reply => ({ body: `{"jsonrpc":"2.0",${member},"id":1}\n` })
const refused = (message: string): Reply => gorilla(`"error":{"code":-32000,"message":"${message}","data":null}`)

describe('a transaction whose answer was lost, and that the next node knows', () => {
  it('is asked about at X where it was sent to its wallet, which tells nothing', async () => {
    const front = await startFront(2)
    const bytes = Buffer.from('000000000022000000', 'hex')
    const txID = encodeCb58(sha256(bytes))
    nodeAt(front, 0).answer = ({ method }) => (method === 'wallet.issueTx' ? 'cut' : undefined)
    nodeAt(front, 1).answer = ({ method, path }) => {
      if (method === 'wallet.issueTx') return refused("couldn't issue tx: consumed")
      if (method !== 'avm.getTxStatus') return undefined
      return path === '/ext/bc/X' ? gorilla('"result":{"status":"Processing"}') : refused("rpc: can't find service avm")
    }
    const sent = gorillaCall('wallet.issueTx', `{"tx":"${encodeNodeHex(bytes)}"}`)
    expect((await front.post('/ext/bc/X/wallet', sent)).text).toBe(
      `{"jsonrpc":"2.0","result":{"txID":"${txID}"},"id":1}\n`,
    )
  })

  it.each(['one', 'all'] as const)('is a success, to whomever it is sent (%s)', async (writePolicy) => {
    const raw = '0x02f8aabbccdd'
    const hash = `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`
    const front = await startFront(2, { node: { writePolicy } })
    let sent = 0
    for (const node of front.nodes)
      node.answer = ({ method }) => {
        if (method === 'eth_sendRawTransaction') return ++sent === 1 ? 'cut' : refused('already known')
        return method === 'eth_getTransactionByHash' ? gorilla(`"result":{"hash":"${hash}"}`) : undefined
      }
    expect((await front.post('/ext/bc/C/rpc', evmCall('eth_sendRawTransaction', `["${raw}"]`))).text).toBe(
      `{"jsonrpc":"2.0","id":1,"result":"${hash}"}\n`,
    )
    expect(sent).toBe(2)
  })
})
