import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PublicKey } from '@solana/web3.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SANDBOX_REFERENCES } from '../../sandbox/settings.ts'
import { TOKEN, TOKEN_2022 } from '../../sandbox/solana/instructions.ts'
import { type Sandbox, startSandbox } from '../../sandbox/start.ts'
import { ask as askServer, post, type WireItem, type WireToken } from '../../support/balances/balance-api.ts'
import { createStage } from '../../support/server/stage.ts'

/** What a naive server gets wrong, by the numbers under which the field knows it: tokens, Bitcoin, Solana, order. */

const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const MAINNET = '000000000019d6689c085ae165831e93'
const TOKEN_ADDRESS = `0x${'70'.repeat(20)}`
const OWNER = '0x1111111111111111111111111111111111111111'

const stage = createStage()
let sandbox: Sandbox
/** The first answer after the start, asked for before anything else. */
let first: WireItem[]
beforeAll(async () => {
  sandbox = await startSandbox({ argv: ['--http-port', '0', '--index-enabled=false'] })
  first = await ask({ data: [evm()] })
})
afterAll(async () => {
  await stage.clear()
  await sandbox?.stop()
})

const ask = (body: object): Promise<WireItem[]> => askServer(sandbox.url, body)
const evm = () => ({
  namespace: 'eip155',
  addresses: sandbox.evm.accounts.slice(0, 4),
  references: [`${sandbox.evm.chainId}`],
})
const solana = () => ({
  namespace: 'solana',
  addresses: Object.values(sandbox.solana.owners),
  references: [SANDBOX_REFERENCES.solana],
})
const bitcoin = (addresses: string[], reference: string = SANDBOX_REFERENCES.bitcoin) => ({
  namespace: 'bip122',
  addresses,
  references: [reference],
})
const tokensOf = (items: readonly WireItem[]): WireToken[] =>
  items.flatMap(({ balances }) => balances.erc20TokenBalances ?? balances.splTokenBalances ?? [])

/** A server over one EVM chain, whose only known token is the given one. */
async function serveToken(
  node: string,
  token: { chainId: number; address: string; logoURI?: string },
): Promise<string> {
  const file = join(stage.folder(), 'list.json')
  const list = { name: 'l', timestamp: '2026-01-01T00:00:00.000Z', version: { major: 1, minor: 0, patch: 0 } }
  writeFileSync(file, JSON.stringify({ ...list, tokens: [{ name: 'T', symbol: 'T', decimals: 18, ...token }] }))
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chain = { name: 'One', upstreams: [{ url: node }], native, blockTimeMs: 1_000, tokenLists: [file] }
  return (await stage.serve({ chains: { evm: { [token.chainId]: chain } } })).url
}

describe('does not make the mistake', () => {
  it('25: a success without tokens when they could not be looked up', async () => {
    // The native balance can be read, the tokens cannot.
    const answer = ({ method }: { method: string }) => (method === 'eth_getBalance' ? '0x5' : undefined)
    const rpcError = { code: -32_603, message: 'internal error', methods: ['eth_call'] }
    const node = await stage.upstream({ answer, faults: { rpcError } })
    const url = await serveToken(node.url, { chainId: 7, address: TOKEN_ADDRESS })
    const item = { namespace: 'eip155', addresses: [OWNER], references: ['7'] }
    const [failed] = await askServer(url, { data: [item] })
    expect(failed).toMatchObject({ networkType: 'evm', id: OWNER, balances: null })
  })

  it('25: a success without tokens because the server has just started', () => {
    expect(tokensOf(first).length).toBeGreaterThan(20)
  })

  it('26: no unconfirmed amount where there is none, or none below zero', async () => {
    const { bob, dave, nobody } = sandbox.bitcoin.accounts
    const items = await ask({ data: [bitcoin([bob, dave, nobody].map(({ addresses }) => addresses.testnet))] })
    const unconfirmed = items.map(({ balances }) => balances.nativeTokenBalance.unconfirmedBalance)
    expect(unconfirmed).toEqual(['-10001000', '1234567', '0'])
  })

  it('27: one token program only, or no associated account', async () => {
    const items = await ask({ data: [solana()], showUntrustedTokens: true })
    const alice = items.find(({ id }) => id === sandbox.solana.owners.alice)
    const tokens = new Map(tokensOf(alice ? [alice] : []).map((token) => [token.address, token]))
    const owner = new PublicKey(sandbox.solana.owners.alice)
    for (const [mint, program] of [
      [sandbox.solana.mints.listed, TOKEN],
      [sandbox.solana.mints.extended, TOKEN_2022],
    ] as const) {
      const seeds = [owner, program, new PublicKey(mint)].map((key) => key.toBytes())
      const [account] = PublicKey.findProgramAddressSync(seeds, ASSOCIATED)
      expect(tokens.get(mint)?.associatedTokenAddress).toBe(account.toBase58())
    }
  })

  it("28: Bitcoin addresses judged more or less strictly than by the API's own pattern", async () => {
    const { alice, bob, carol } = sandbox.bitcoin.accounts
    const refused = [`bc1p${'q'.repeat(58)}`, `bc1q${'q'.repeat(58)}`, alice.addresses.testnet, carol.addresses.testnet]
    for (const address of refused) {
      const response = await post(sandbox.url, { data: [bitcoin([address], MAINNET)] })
      expect(response.status, address).toBe(400)
    }
    const accepted = [alice, bob, carol].map(({ addresses }) => addresses.mainnet)
    expect(accepted.map((address) => address.slice(0, 1))).toEqual(['1', 'b', '3'])
    // Right in form, of the other network or with a wrong checksum: an item each, not a 400.
    const items = await ask({ data: [bitcoin([...accepted, `tb1q${'q'.repeat(38)}`])] })
    expect(items).toHaveLength(4)
    for (const { error } of items) expect(error).toMatch(/^\[getBtcBalances\] /)
  })

  it('29: untrusted tokens without a verdict, or shown to those who did not ask for them', async () => {
    const all = tokensOf(await ask({ data: [solana()], showUntrustedTokens: true }))
    const { listed, hostile } = sandbox.solana.mints
    const verdictOf = (mint: string) => all.find(({ address }) => address === mint)?.scanResult
    expect(verdictOf(listed)).toBe('Benign')
    expect(verdictOf(hostile)).toMatch(/^(Warning|Spam|Malicious)$/)
    for (const rest of [{}, { showUntrustedTokens: false }]) {
      const shown = tokensOf(await ask({ data: [solana()], ...rest }))
      expect(new Set(shown.map(({ address }) => address))).toEqual(new Set([listed]))
    }
  })

  it('30: currencies that are young refused, or upper case taken', async () => {
    const currencies = ['usd', 'eur', 'aud', 'cad', 'chf', 'clp', 'czk', 'dkk', 'gbp', 'hkd', 'huf', 'brl', 'mxn']
    for (const currency of currencies) {
      const items = await ask({ data: [evm()], currency })
      expect(items.map((item) => item.currency)).toEqual(sandbox.evm.accounts.slice(0, 4).map(() => currency))
      expect(items[0]?.balances.nativeTokenBalance.price).toBeGreaterThan(0)
    }
    for (const currency of ['USD', 'Eur', 'jpy', '', null]) {
      expect((await post(sandbox.url, { data: [evm()], currency })).status).toBe(400)
    }
  })

  it('31: a logo that wallets may not load', async () => {
    for (const [logoURI, shown] of [
      ['http://logos.test/a.png', undefined],
      ['javascript:alert(1)', undefined],
      ['https://logos.test/a.png', 'https://logos.test/a.png'],
    ]) {
      const { chainId, accounts, tokens } = sandbox.evm
      const token = { chainId, address: tokens.lab, ...(logoURI === undefined ? {} : { logoURI }) }
      const url = await serveToken(sandbox.evm.url, token)
      const item = { namespace: 'eip155', addresses: [accounts[1]], references: [`${chainId}`] }
      const [found] = tokensOf(await askServer(url, { data: [item] }))
      expect(found).toMatchObject({ address: tokens.lab })
      expect(found?.logoUri).toBe(shown)
    }
  })

  it('32: another order, or other bytes, for the same state', async () => {
    const body = { data: [evm(), solana()], showUntrustedTokens: true }
    const events = async () => (await (await post(sandbox.url, body)).text()).split('\n\n').sort()
    const before = await events()
    // Longer than any reading is kept, so that everything is read again.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await events()).toEqual(before)
    for (const { balances } of await ask(body)) {
      const addresses = (balances.erc20TokenBalances ?? balances.splTokenBalances ?? []).map(({ address }) => address)
      expect(addresses).toEqual([...addresses].sort())
    }
  })
})
