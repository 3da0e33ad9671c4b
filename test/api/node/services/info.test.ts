import { describe, expect, it } from 'vitest'
import { MethodError, PASS_ON } from '../../../../src/api/node/gorilla/local-service.ts'
import { createInfoService } from '../../../../src/api/node/services/info.ts'
import { UpstreamUnavailableError } from '../../../../src/errors.ts'
import { callLocal } from '../local-call.ts'

const X = '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ'
const L1 = '2gUGdvfdCEscRcRiHyZ9voaUaBXmKUcWqqKcB3A78C3AS4kdJd'
const NAMES: Record<string, string> = { X, avm: X, mine: X, [X]: X, [L1]: L1, own: L1, 'o$&n': L1, early: 'X' }

type Ask = (method: string, params: { chain?: string }) => Promise<string>

const run = (method: string, params: object, served: Record<string, boolean> = {}, ask?: Ask) => {
  const service = createInfoService({ chains: { lookup: (alias) => NAMES[alias], isServed: (name) => served[name] } })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: `info.${method}`, params })
  return callLocal(service, 'info', body, ask ? { ask: (name, args) => ask(name, args as { chain?: string }) } : {})
}
const resultOf = async (answer: ReturnType<typeof run>) => JSON.parse(String(await answer)).result
const errorOf = async (answer: ReturnType<typeof run>) => JSON.parse(String(await answer)).error.message

/** A node that knows X and nothing else. */
const node =
  (bootstrapped = true): Ask =>
  async (_method, { chain = '' }) => {
    if (chain !== 'X' && chain !== X) throw new MethodError(`there is no chain with alias/ID '${chain}'`)
    return `{"isBootstrapped":${bootstrapped}}`
  }
const nobody: Ask = () => Promise.reject(new UpstreamUnavailableError('node P: nobody answers'))

describe('info.getBlockchainID', () => {
  it('knows the aliases that were made here', async () => {
    expect(await resultOf(run('getBlockchainID', { alias: 'mine' }))).toEqual({ blockchainID: X })
    expect(await resultOf(run('getBlockchainID', { alias: 'own' }))).toEqual({ blockchainID: L1 })
  })

  it('knows chains that are looked after here; of others that exist a node knows only those that it runs', async () => {
    for (const served of [true, false])
      expect(await resultOf(run('getBlockchainID', { alias: L1 }, { [L1]: served }))).toEqual({ blockchainID: L1 })
    expect(await run('getBlockchainID', { alias: L1 })).toBe(PASS_ON)
  })

  it('asks a node for the ID of a chain that has an alias here and has not told its ID yet', async () => {
    const asked: unknown[] = []
    const tells: Ask = async (...call) => {
      asked.push(call)
      return `{"blockchainID":"${X}"}`
    }
    expect(await resultOf(run('getBlockchainID', { alias: 'early' }, {}, tells))).toEqual({ blockchainID: X })
    expect(asked).toEqual([['info.getBlockchainID', { alias: 'X' }]])
    await expect(run('getBlockchainID', { alias: 'early' }, {}, nobody)).rejects.toThrow('nobody answers')
  })

  it.each(['X', 'avm', 'nope', ''])('leaves %j to the node', async (alias) => {
    expect(await run('getBlockchainID', { alias })).toBe(PASS_ON)
  })
})

describe('info.isBootstrapped', () => {
  it('asks a node, by the ID behind an alias of ours', async () => {
    expect(await resultOf(run('isBootstrapped', { chain: 'mine' }, {}, node()))).toEqual({ isBootstrapped: true })
    expect(await resultOf(run('isBootstrapped', { chain: 'X' }, {}, node(false)))).toEqual({ isBootstrapped: false })
  })

  it('says the words of the node about a chain that nobody knows, with the name that was asked for', async () => {
    expect(await errorOf(run('isBootstrapped', { chain: 'nope' }, {}, node()))).toBe(
      "there is no chain with alias/ID 'nope'",
    )
    expect(await errorOf(run('isBootstrapped', { chain: 'own' }, {}, node()))).toBe(
      "there is no chain with alias/ID 'own'",
    )
    expect(await errorOf(run('isBootstrapped', { chain: 'o$&n' }, {}, node()))).toBe(
      "there is no chain with alias/ID 'o$&n'",
    )
    expect(await errorOf(run('isBootstrapped', { chain: '' }))).toBe("argument 'chain' not given")
  })

  it('does not take another health check for a chain', async () => {
    const passing = { network: true, diskspace: true, 'eip155:1': true }
    for (const chain of Object.keys(passing))
      expect(await errorOf(run('isBootstrapped', { chain }, passing, node()))).toBe(
        `there is no chain with alias/ID '${chain}'`,
      )
  })

  it('is false when no node can be asked', async () => {
    expect(await resultOf(run('isBootstrapped', { chain: 'X' }, { X: false }, nobody))).toEqual({
      isBootstrapped: false,
    })
  })

  it('is true for what is served here although the node that was asked is not ready or does not know it', async () => {
    const served = { X: true, [L1]: true }
    for (const chain of ['X', 'avm', 'mine', X])
      expect(await resultOf(run('isBootstrapped', { chain }, served, async () => '{"isBootstrapped":false}'))).toEqual({
        isBootstrapped: true,
      })
    expect(await resultOf(run('isBootstrapped', { chain: 'own' }, served, node()))).toEqual({ isBootstrapped: true })
    expect(await errorOf(run('isBootstrapped', { chain: 'own' }, { [L1]: false }, node()))).toMatch(
      /^there is no chain/,
    )
  })
})
