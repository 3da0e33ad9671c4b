import { createPublicClient, defineChain, erc20Abi, type Hex, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeBase58 } from '../../src/lib/bytes/base58.ts'
import { nextTurn } from '../../src/lib/waiting/next-turn.ts'
import { expectedAvm, expectedCoreth, expectedPvm, type Moment } from '../chains/avalanche/expected-balances.ts'
import { ask as askServer, type WireItem, type WireToken } from '../support/balances/balance-api.ts'
import { L1, NETWORK, nativeFinals, recordedLines } from '../support/recorded/recordings.ts'
import { SANDBOX_REFERENCES } from './settings.ts'
import { TOKEN, TOKEN_2022 } from './solana/instructions.ts'
import { type Sandbox, startSandbox } from './start.ts'

const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ argv: ['--http-port', '0'] })
})
afterAll(() => sandbox?.stop())

/** Items of one request, all of them successes. */
async function ask(item: object, currency = 'usd'): Promise<WireItem[]> {
  const items = await askServer(sandbox.url, { data: [item], currency, showUntrustedTokens: true })
  expect(items.filter(({ error }) => error !== null)).toEqual([])
  return items
}

const evmItem = () => ({
  namespace: 'eip155',
  addresses: sandbox.evm.accounts,
  references: [`${sandbox.evm.chainId}`],
})
const solanaItem = () => ({
  namespace: 'solana',
  addresses: Object.values(sandbox.solana.owners),
  references: [SANDBOX_REFERENCES.solana],
})
const bitcoinItem = () => ({
  namespace: 'bip122',
  addresses: (['bob', 'dave', 'nobody'] as const).map((name) => sandbox.bitcoin.accounts[name].addresses.testnet),
  references: [SANDBOX_REFERENCES.bitcoin],
})

const held = (tokens: readonly WireToken[] = []): Record<string, bigint> =>
  Object.fromEntries(tokens.map(({ address, balance }) => [address, BigInt(balance)]))

describe('balances are what the chains themselves say', () => {
  it('EVM: eth_getBalance and every balanceOf', async () => {
    const chain = defineChain({
      id: sandbox.evm.chainId,
      name: 'sandbox',
      nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [sandbox.evm.url] } },
    })
    const client = createPublicClient({ chain, transport: http(sandbox.evm.url, { retryCount: 0 }) })
    const tokens = sandbox.evm.tokenList.tokens.map(({ address }) => address as Hex)
    const unreadable = new Set<string>()
    const ownAnswer = async (owner: Hex): Promise<Record<string, bigint>> => {
      const read = (address: Hex) =>
        client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
      const balances = await Promise.allSettled(tokens.map(read))
      const rows = tokens.flatMap((token, at): [string, bigint][] => {
        const balance = balances[at]
        if (balance?.status === 'fulfilled') return balance.value === 0n ? [] : [[token, balance.value]]
        unreadable.add(token)
        return []
      })
      return Object.fromEntries(rows)
    }
    const items = await ask(evmItem())
    expect(items).toHaveLength(sandbox.evm.accounts.length)
    for (const { id, balances } of items) {
      expect(BigInt(balances.nativeTokenBalance.balance)).toBe(await client.getBalance({ address: id as Hex }))
      const listed = (balances.erc20TokenBalances ?? []).filter(({ address }) => tokens.includes(address as Hex))
      expect(held(listed)).toEqual(await ownAnswer(id as Hex))
    }
    // Those whose balanceOf fails are left out and take nobody with them.
    expect([...unreadable].sort()).toEqual([sandbox.evm.tokens.revert, sandbox.evm.tokens.loop].sort())
    expect(items.some(({ balances }) => (balances.erc20TokenBalances ?? []).length > 10)).toBe(true)
  })

  it.each([
    ['C-chain', '43113', NETWORK],
    ['L1', '99373', L1],
  ] as const)('EVM: what the node of the recorded %s said in the end', async (_, chain, folder) => {
    const finals = nativeFinals(folder)
    const answersOf = (addresses: readonly string[]) =>
      askServer(sandbox.url, { data: [{ namespace: 'eip155', addresses, references: [chain] }], currency: 'usd' })
    // The last is a rich account of local chains that record nothing.
    const strangers = [`0x${'12'.repeat(20)}`, sandbox.evm.accounts[0]].map((address) => ({ address, balance: '0' }))
    const expected = new Map([...finals, ...strangers].map(({ address, balance }) => [`${address}`, balance]))
    const everybody = [...expected.keys()]
    await expect.poll(async () => (await answersOf(everybody.slice(0, 1)))[0]?.error).toBeNull()
    for (let from = 0; from < everybody.length; from += 50)
      for (const { id, balances } of await answersOf(everybody.slice(from, from + 50)))
        expect(balances?.nativeTokenBalance.balance, id).toBe(expected.get(id))
    expect(finals.length).toBeGreaterThan(0)
  })

  it('EVM: spam is found by the own index, shown when asked for, and kept out else', async () => {
    const { spam } = sandbox.evm.tokens
    const holder = { ...evmItem(), addresses: sandbox.evm.accounts.slice(1, 2) }
    const find = async () =>
      (await ask(holder))[0]?.balances.erc20TokenBalances?.find((token) => token.address === spam)
    await expect.poll(find, { timeout: 90_000 }).toMatchObject({ balance: '5000000000000000000000' })
    expect((await find())?.scanResult).not.toBe('Benign')
    const [plain] = await askServer(sandbox.url, { data: [holder], currency: 'usd' })
    expect(plain?.balances.erc20TokenBalances?.map(({ address }) => address)).not.toContain(spam)
  })

  it("Bitcoin: the node's coins, in blocks and in the mempool", async () => {
    const items = await ask(bitcoinItem())
    for (const name of ['bob', 'dave', 'nobody'] as const) {
      const address = sandbox.bitcoin.accounts[name].addresses.testnet
      const native = items.find(({ id }) => id === address)?.balances.nativeTokenBalance
      const { confirmed, total } = await sandbox.bitcoin.ownAnswer(name)
      expect(native).toMatchObject({ balance: `${confirmed}`, unconfirmedBalance: `${total - confirmed}` })
    }
    expect(items.some(({ balances }) => balances.nativeTokenBalance.unconfirmedBalance?.startsWith('-'))).toBe(true)
  })

  it('Solana: accounts of the ledger, both token programs', async () => {
    const nfts: string[] = [sandbox.solana.mints.nft, sandbox.solana.mints.nft2022]
    const tokensOf = (owner: string): Record<string, bigint> => {
      const sums: Record<string, bigint> = {}
      for (const { data } of [TOKEN, TOKEN_2022].flatMap((program) => sandbox.solana.ledger.programAccounts(program))) {
        if (data.length < 165 || encodeBase58(data.subarray(32, 64)) !== owner) continue
        const mint = encodeBase58(data.subarray(0, 32))
        const amount = data.readBigUInt64LE(64)
        if (amount > 0n && !nfts.includes(mint)) sums[mint] = (sums[mint] ?? 0n) + amount
      }
      return sums
    }
    const items = await ask(solanaItem())
    expect(items).toHaveLength(4)
    for (const { id, balances } of items) {
      expect(BigInt(balances.nativeTokenBalance.balance)).toBe(sandbox.solana.ledger.account(id)?.lamports ?? 0n)
      expect(held(balances.splTokenBalances)).toEqual(tokensOf(id))
    }
    expect(Object.keys(tokensOf(sandbox.solana.owners.alice)).length).toBeGreaterThan(5)
  })

  it('Avalanche: every recorded wallet, every class, by the replayed truth', async () => {
    const moment: Moment = { heights: sandbox.avalanche.node.heights(), now: Math.floor(Date.now() / 1000) }
    const { wallets } = sandbox.avalanche
    for (let from = 0; from < wallets.length; from += 50) {
      const addressDetails = wallets
        .slice(from, from + 50)
        .map(({ name, address }) => ({ id: `${name} ${address}`, addresses: [address] }))
      const item = (references: string[]) => ({ namespace: 'avax', references, addressDetails })
      const items = [...(await ask(item([P, X]))), ...(await ask(item([C])))]
      expect(items).toHaveLength(3 * addressDetails.length)
      for (const { caip2Id, id, balances } of items) {
        const address = id.split(' ').at(-1) as string
        const { native, ...categories } = expectedOn(caip2Id, address, moment)
        const { nativeTokenBalance } = balances
        expect({ id, caip2Id, native: nativeTokenBalance.balance, categories: balances.categories }).toEqual(
          onTheWire({ id, caip2Id, native, categories }),
        )
      }
    }
  })
})

function expectedOn(caip2Id: string, address: string, moment: Moment) {
  if (caip2Id === `avax:${P}`) return expectedPvm(address, true, moment)
  return caip2Id === `avax:${X}` ? expectedAvm(address, moment) : expectedCoreth(address, moment)
}

/** Amounts as text. */
const onTheWire = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part)))

describe.each([
  ['usd', 1],
  ['eur', 0.5],
])('values in %s', (currency, rate) => {
  /** Of one whole coin or token, in dollars, as the sandbox's price file says. */
  const dollars = (): Record<string, number> => ({
    [sandbox.evm.tokens.usdl]: 1,
    [sandbox.evm.tokens.lab]: 3,
    [sandbox.solana.mints.listed]: 0.5,
  })
  const value = (token: WireToken, price: number): number => (Number(token.balance) / 10 ** token.decimals) * price
  const near = (actual: number | undefined, expected: number): void => {
    expect(Math.abs((actual ?? Number.NaN) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-9)
  }
  const wallets = () =>
    sandbox.avalanche.wallets.slice(0, 3).map(({ address }) => ({ id: address, addresses: [address] }))

  it.each([
    ['EVM', 2_000, evmItem],
    ['Bitcoin', 100_000, bitcoinItem],
    ['Solana', 100, solanaItem],
    ['P and X', 20, () => ({ namespace: 'avax', references: [P, X], addressDetails: wallets() })],
    ['C', 20, () => ({ namespace: 'avax', references: [C], addressDetails: wallets() })],
  ])('%s', async (_family, coin, item) => {
    const items = await ask(item(), currency)
    const priced: string[] = []
    for (const { balances, currency: answered } of items) {
      expect(answered).toBe(currency)
      const { nativeTokenBalance: native } = balances
      near(native.price, coin * rate)
      near(native.balanceInCurrency, value(native, coin * rate))
      let total = value(native, coin * rate)
      for (const token of [...(balances.erc20TokenBalances ?? []), ...(balances.splTokenBalances ?? [])]) {
        const price = dollars()[token.address]
        if (price === undefined) {
          expect(token).not.toHaveProperty('price')
          expect(token).not.toHaveProperty('balanceInCurrency')
          continue
        }
        priced.push(token.address)
        near(token.price, price * rate)
        near(token.balanceInCurrency, value(token, price * rate))
        total += value(token, price * rate)
      }
      near(balances.totalBalanceInCurrency, total)
      if (native.unconfirmedBalance !== undefined)
        near(native.unconfirmedBalanceInCurrency, (Number(native.unconfirmedBalance) / 1e8) * coin * rate)
    }
    const expected = item === evmItem ? [sandbox.evm.tokens.usdl, sandbox.evm.tokens.lab] : []
    if (item === solanaItem) expected.push(sandbox.solana.mints.listed)
    expect([...new Set(priced)].sort()).toEqual(expected.sort())
  })
})

describe('NFTs have the metadata that their contracts name', () => {
  interface Token {
    tokenId: string
    tokenUri: string
    metadata: { indexStatus: string; name?: string }
  }
  interface Final {
    what?: string
    token: string
    id?: string
    tokenId: string
    owner?: string | null
    tokenURI?: unknown
  }
  const tokensOf = async (chainId: number, contract: string): Promise<Token[]> => {
    const path = `${sandbox.url}/v1/chains/${chainId}/nfts/collections/${contract}/tokens?pageSize=100`
    return ((await (await fetch(path)).json()) as { tokens?: Token[] }).tokens ?? []
  }
  const finals = recordedLines<Final>('manifest-evm')

  it('on the C-chain: every URI that was recorded, documents from inside URIs and from gateways', async () => {
    // Names of no host are left out: whether looking them up takes long is not in our hands.
    const named = finals.filter(
      ({ what, id, owner, tokenURI }) =>
        what === 'erc721' &&
        id === 'enum' &&
        owner &&
        typeof tokenURI === 'string' &&
        !/…|nft\.example/i.test(tokenURI),
    )
    const multi = finals.find(({ what }) => what === 'erc1155')?.token ?? ''
    const contract = named[0]?.token ?? ''
    const chainId = sandbox.avalanche.evmChainId
    const place = `${sandbox.url}/v1/chains/${chainId}/nfts/collections`
    // Those that somebody asks for come first.
    const wanted = [...named.map(({ tokenId }) => `${contract}/tokens/${tokenId}`), `${multi}/tokens/1`]
    for (const token of wanted)
      expect((await fetch(`${place}/${token}:reindex`, { method: 'POST' })).status, token).toBe(201)
    const found = async () => (await tokensOf(chainId, contract)).filter(({ tokenId }) => ids.has(tokenId))
    const ids = new Set(named.map(({ tokenId }) => tokenId))
    await expect
      .poll(async () => (await found()).filter(({ metadata }) => metadata.indexStatus === 'UNINDEXED'), {
        timeout: 60_000,
        interval: 300,
      })
      .toEqual([])
    const byId = new Map((await found()).map((token) => [token.tokenId, token]))
    for (const { tokenId, tokenURI } of named) expect(byId.get(tokenId)?.tokenUri).toBe(tokenURI)
    expect(byId.get('2')?.metadata.name).toMatch(/^Sandbox \/ipfs\/bafy/)
    expect(byId.get('3')?.metadata).toMatchObject({ indexStatus: 'INDEXED', name: 'On-chain #3' })
    expect(byId.get('6')?.metadata.indexStatus).toBe('INVALID_TOKEN_URI')

    // The recorded node keeps no state of this one: the chain's other endpoint does.
    await expect.poll(async () => (await tokensOf(chainId, multi))[0]?.tokenUri ?? '').toContain('{id}')
  })
})

it('turns nobody away for the time that its own chains take', async () => {
  for (let turn = 0; turn < 8; turn++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    await nextTurn()
  }
  expect((await fetch(`${sandbox.url}/v1/balance/get-supported-chains`)).status).toBe(200)
})
