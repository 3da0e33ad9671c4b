import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../../src/api/node/evm/message.ts'
import { isCleanCall, scanCall } from '../../../../src/api/node/forward/scan-call.ts'
import { parseRequest } from '../../../../src/api/node/gorilla/request.ts'

// Whoever routes by another method than the node executes repeats writes, and hands out what is not for the public.
describe('a method named twice', () => {
  it.each([
    ['null leaves the one before it', '"method":"info.getNodeID","method":null', 'info.getNodeID'],
    ['the last text wins', '"method":"a.b","method":"info.getNodeID"', 'info.getNodeID'],
    ['in any case', '"METHOD":"info.getNodeID","Method":null', 'info.getNodeID'],
    ['null alone is none', '"method":null', ''],
  ])('%s', (_what, members, method) => {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,${members}}`)
    expect(scanCall(body)?.method ?? '').toBe(method)
    expect(parseRequest(body).request.method).toBe(method)
    expect(readMessage(body, { from: 0, to: body.length }).method).toBe(method)
  })
})

describe('a call that is answered from memory', () => {
  const isClean = (members: string): boolean => {
    const body = Buffer.from(`{"id":1,${members}}`)
    const call = scanCall(body)
    return call !== undefined && isCleanCall(body, call)
  }

  it('has no member for which a node refuses it', () => {
    expect(isClean('"jsonrpc":"2.0","method":"info.getNetworkID"')).toBe(true)
    expect(isClean('"jsonrpc":"2.0","METHOD":"info.getNetworkID","method":{}')).toBe(false)
    expect(isClean('"jsonrpc":2,"JSONRPC":"2.0","method":"info.getNetworkID"')).toBe(false)
    expect(isClean('"jsonrpc":"2.0","jsonrpc":null,"method":"info.getNetworkID"')).toBe(false)
  })
})

describe('messages of EVM endpoints', () => {
  const kindOf = (members: string) => {
    const body = Buffer.from(`{${members}}`)
    return readMessage(body, { from: 0, to: body.length }).kind
  }

  it('keep what stood before a member of a wrong type', () => {
    expect(kindOf('"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":5,"jsonrpc":2')).toBe('call')
    expect(kindOf('"jsonrpc":"2.0","method":"eth_chainId","method":[]')).toBe('silent')
  })

  it('are answers only with a result or an error', () => {
    expect(kindOf('"jsonrpc":"2.0","id":1,"result":null')).toBe('silent')
    expect(kindOf('"jsonrpc":"2.0","id":1,"error":{}')).toBe('silent')
    expect(kindOf('"jsonrpc":"2.0","id":1,"error":null')).toBe('invalid')
  })
})
