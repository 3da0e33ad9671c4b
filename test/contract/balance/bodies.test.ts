import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SANDBOX_REFERENCES } from '../../sandbox/settings.ts'
import { type Sandbox, startSandbox } from '../../sandbox/start.ts'
import { post } from '../../support/balances/balance-api.ts'
import { type Answer, readAnswer, readDocument } from '../document.ts'
import type { JsonSchema } from '../json-schema.ts'
import { arbitraryOf } from '../schema-arbitraries.ts'
import { mutationsOf } from '../schema-mutations.ts'
import { answeredPairs, expectedPairs } from './expected-pairs.ts'

const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'
/** Account 0 of the mnemonic «test … junk», which everybody knows. */
const XPUB =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'

const document = readDocument('balance')
const schema = document.operation('postV1BalanceGetBalances').bodySchema as JsonSchema

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ argv: ['--http-port', '0'] })
})
afterAll(() => sandbox?.stop())

const ask = async (body: unknown): Promise<Answer> => readAnswer(await post(sandbox.url, body))

/** Texts of the body that mean something here, each only where its pattern allows it. */
const samples = (): string[] => [
  ...sandbox.evm.accounts,
  ...sandbox.evm.accounts.map((address) => `0x${address.slice(2).toUpperCase()}`),
  ...Object.values(sandbox.bitcoin.accounts).map(({ addresses }) => addresses.testnet),
  ...Object.values(sandbox.solana.owners),
  ...sandbox.avalanche.wallets.slice(0, 5).map(({ address }) => address),
  XPUB,
]

it('what the document shows as an example can be sent as it is', async () => {
  const shown = document.operations.filter(({ method }) => method === 'POST')
  expect(shown).toHaveLength(2)
  for (const { path, bodyExample } of shown) {
    const answer = await fetch(sandbox.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyExample),
    })
    // The sandbox has no mainnet to tell rewards of.
    expect([path, answer.status]).toEqual([path, path.endsWith('get-balances') ? 200 : 404])
    await answer.body?.cancel()
  }
})

describe('bodies made from the schema', () => {
  it('valid ones are answered with exactly their pairs, every item as the document says', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryOf(schema, samples()), async (body) => {
        const answer = await ask(body)
        expect(answer.status, answer.body).toBe(200)
        expect(answeredPairs(document.read('postV1BalanceGetBalances', answer))).toEqual(expectedPairs(body))
      }),
      { numRuns: 60 },
    )
  })

  it('one broken rule is a 400 that names the place', async () => {
    const ajv = new Ajv2020({ strict: false })
    const broken = arbitraryOf(schema, samples()).chain((body) =>
      fc.constantFrom(...mutationsOf(schema, body, (branch, value) => ajv.validate(branch, value))),
    )
    await fc.assert(
      fc.asyncProperty(broken, async ({ path, rule, value }) => {
        const answer = await ask(value)
        expect(answer.status, rule).toBe(400)
        const [refusal] = document.read('postV1BalanceGetBalances', answer)
        const { issues } = refusal as { issues: { path: unknown[] }[] }
        expect(
          issues.map((issue) => issue.path),
          rule,
        ).toEqual([path])
      }),
      { numRuns: 300 },
    )
  })

  it('every kind of success item is as the document says', async () => {
    const wallets = sandbox.avalanche.wallets.slice(0, 50)
    const addressDetails = wallets.map(({ address }) => ({ id: address, addresses: [address] }))
    const extendedPublicKeyDetails = [{ id: 'key', extendedPublicKey: XPUB }]
    const testnet = Object.values(sandbox.bitcoin.accounts).map(({ addresses }) => addresses.testnet)
    // The API's own pattern knows no legacy addresses of the testnet.
    const bitcoin = testnet.filter((address) => address.startsWith('tb1'))
    const body = {
      data: [
        { namespace: 'eip155', references: [`${sandbox.evm.chainId}`], addresses: sandbox.evm.accounts },
        { namespace: 'bip122', references: [SANDBOX_REFERENCES.bitcoin], addresses: bitcoin },
        {
          namespace: 'solana',
          references: [SANDBOX_REFERENCES.solana],
          addresses: Object.values(sandbox.solana.owners),
        },
        { namespace: 'avax', references: [C], addressDetails },
        { namespace: 'avax', references: [P, X], addressDetails, extendedPublicKeyDetails },
      ],
      currency: 'eur',
      showUntrustedTokens: true,
    }
    const answer = await ask(body)
    expect(answer.status, answer.body).toBe(200)
    const items = document.read('postV1BalanceGetBalances', answer) as { networkType: string; error: string | null }[]
    expect(answeredPairs(items)).toEqual(expectedPairs(body))
    expect(items.filter(({ error }) => error !== null)).toEqual([])
    expect([...new Set(items.map(({ networkType }) => networkType))].sort()).toEqual(
      ['avm', 'btc', 'coreth', 'evm', 'pvm', 'svm'].sort(),
    )
  })
})
