import { describe, expect, it } from 'vitest'
import { planRequest } from '../../../src/api/balance/plan.ts'
import type { RequestBody } from '../../../src/api/balance/request-schema.ts'

const P = 'Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo'
const X = 'imji8papUf2EhV3le337w1vgFauqkJg-'
const C = '8aDU0Kqh-5d23op-B-r-4YbQFRbsgF9a'

const wallets = (references: string[], details: [string, ...string[]][], more: object = {}) => ({
  namespace: 'avax',
  references,
  addressDetails: details.map(([id, ...addresses]) => ({ id, addresses })),
  ...more,
})
const plan = (...data: object[]) => planRequest({ data } as unknown as RequestBody)

describe('what a request asks of each chain', () => {
  it('is one account for all entries of an id, over all items that name the chain', () => {
    const keys = { extendedPublicKeyDetails: [{ id: 'a', extendedPublicKey: 'xpub1' }] }
    const queries = plan(
      wallets(
        [P, X],
        [
          ['a', '1', '2'],
          ['b', '3'],
        ],
        keys,
      ),
      wallets([P], [['a', '2', '4']], { filterOutDustUtxos: false }),
      wallets([C], [['a', '5']]),
    )
    const wallet = (id: string, addresses: string[], extendedPublicKeys: string[], filterOutDust = true) => ({
      id,
      addresses,
      extendedPublicKeys,
      filterOutDust,
    })
    expect(queries).toEqual([
      {
        caip2Id: `avax:${P}`,
        networkType: 'pvm',
        accounts: [wallet('a', ['1', '2', '2', '4'], ['xpub1'], false), wallet('b', ['3'], [])],
      },
      {
        caip2Id: `avax:${X}`,
        networkType: 'avm',
        accounts: [wallet('a', ['1', '2'], ['xpub1']), wallet('b', ['3'], [])],
      },
      { caip2Id: `avax:${C}`, networkType: 'coreth', accounts: [wallet('a', ['5'], [])] },
    ])
  })

  it('is the same object for chains of which the same was said, so that its addresses are understood once', () => {
    const [p, x] = plan(
      wallets(
        [P, X],
        [
          ['a', '1'],
          ['a', '2'],
          ['b', '3'],
        ],
      ),
    )
    expect(p?.accounts).toHaveLength(2)
    for (const at of [0, 1]) expect(p?.accounts[at]).toBe(x?.accounts[at])
    const [p2, x2] = plan(
      wallets(
        [P, X],
        [
          ['a', '1'],
          ['a', '2'],
        ],
      ),
      wallets([X], [['a', '3']]),
    )
    expect([p2, x2].map((query) => query?.accounts)).toEqual([
      [expect.objectContaining({ addresses: ['1', '2'] })],
      [expect.objectContaining({ addresses: ['1', '2', '3'] })],
    ])
  })

  it('is of its own chain only, where as many entries of one id begin with the same on another chain', () => {
    const [p, x] = plan(wallets([P, X], [['a', '1']]), wallets([P], [['a', '2']]), wallets([X], [['a', '3']]))
    expect([p, x].map((query) => query?.accounts)).toEqual([
      [expect.objectContaining({ addresses: ['1', '2'] })],
      [expect.objectContaining({ addresses: ['1', '3'] })],
    ])
  })

  it('is every address once, in the order of the request, and no chain without accounts', () => {
    const item = (addresses: string[], references: string[]) => ({ namespace: 'eip155', addresses, references })
    const queries = plan(item(['0xB', '0xa', '0xB'], ['1', '1', '10']), item(['0xc', '0xa'], ['10']), {
      namespace: 'avax',
      references: [P],
      addressDetails: [],
    })
    expect(queries).toEqual([
      { caip2Id: 'eip155:1', networkType: 'evm', accounts: [{ id: '0xB' }, { id: '0xa' }] },
      { caip2Id: 'eip155:10', networkType: 'evm', accounts: [{ id: '0xB' }, { id: '0xa' }, { id: '0xc' }] },
    ])
  })

  it('is nothing of a member that its shape has not got, whatever stands there: it was never checked', () => {
    for (const extendedPublicKeyDetails of [[{ id: 'a', extendedPublicKey: 'xpub1' }], [{ id: 5 }], [null], 'ab', 5])
      expect(plan(wallets([C], [['a', '1']], { extendedPublicKeyDetails }))).toEqual(plan(wallets([C], [['a', '1']])))
  })
})
