import { startAnvil } from '../support/evm/anvil.ts'
import { callData } from '../support/evm/contracts.ts'
import { installMulticall3 } from '../support/evm/multicall3.ts'

/** Names of the tokens as the recordings use them. */
type SandboxTokenId = (typeof plan)[number]['id']

export interface SandboxEvm {
  url: string
  chainId: number
  /** `eip155:<chainId>` */
  caip2Id: string
  multicall: string
  /** Unlocked accounts, lower-case, 10,000 coins each. 0 deployed everything; 1 to 3 hold tokens. */
  accounts: string[]
  tokens: Record<SandboxTokenId, string>
  /** tokenlists.org format; the spam token and the one without decimals() stand on no list. */
  tokenList: TokenList
  stop(): Promise<void>
}

interface TokenList {
  name: string
  timestamp: string
  version: { major: number; minor: number; patch: number }
  tokens: { chainId: number; address: string; name: string; symbol: string; decimals: number }[]
}

interface Planned {
  id: string
  contract: string
  args?: (deployer: string) => readonly unknown[]
  /** Function that gives `amount` to a holder; left out = the constructor did it, or nobody holds any. */
  give?: 'mint' | 'mintShares'
  /** Left out = on no list. */
  listed?: { name: string; symbol: string; decimals: number }
}

const hostileName = 'Ünïcödé <script>alert("xss")</script> \u202egnp.exe\u202c \u0000NUL\n\r \u200bzero\u200dwidth 漢字'

const plan = [
  {
    id: 'usdl',
    contract: 'LabToken',
    args: (deployer) => ['Lab Dollar', 'USDL', 6, deployer],
    give: 'mint',
    listed: { name: 'Lab Dollar', symbol: 'USDL', decimals: 6 },
  },
  {
    id: 'lab',
    contract: 'LabToken',
    args: (deployer) => ['Lab Token', 'LAB', 18, deployer],
    give: 'mint',
    listed: { name: 'Lab Token', symbol: 'LAB', decimals: 18 },
  },
  {
    id: 'zero',
    contract: 'LabToken',
    args: (deployer) => ['Whole Units', 'WHOLE', 0, deployer],
    give: 'mint',
    listed: { name: 'Whole Units', symbol: 'WHOLE', decimals: 0 },
  },
  {
    id: 'empty',
    contract: 'LabToken',
    args: (deployer) => ['Held By Nobody', 'NONE', 18, deployer],
    listed: { name: 'Held By Nobody', symbol: 'NONE', decimals: 18 },
  },
  {
    id: 'uni',
    contract: 'LongNameToken',
    args: (deployer) => [hostileName, 'ÜNI🪙', 8, deployer],
    give: 'mint',
    listed: { name: 'Unicode coin', symbol: 'UNI', decimals: 8 },
  },
  {
    id: 'mkr',
    contract: 'Bytes32Token',
    give: 'mint',
    listed: { name: 'Maker Lookalike', symbol: 'MKRL', decimals: 18 },
  },
  { id: 'nodec', contract: 'NoDecimalsToken', give: 'mint' },
  {
    id: 'fee',
    contract: 'FeeToken',
    args: (deployer) => [deployer, deployer],
    give: 'mint',
    listed: { name: 'Fee On Transfer', symbol: 'FEE', decimals: 18 },
  },
  {
    id: 'lie',
    contract: 'LyingFeeToken',
    give: 'mint',
    listed: { name: 'Lying Fee', symbol: 'LIE', decimals: 18 },
  },
  {
    id: 'rebase',
    contract: 'RebaseToken',
    give: 'mintShares',
    listed: { name: 'Rebasing', symbol: 'RBS', decimals: 9 },
  },
  {
    id: 'revert',
    contract: 'RevertingBalanceToken',
    give: 'mint',
    listed: { name: 'Reverting Balance', symbol: 'RVT', decimals: 18 },
  },
  {
    id: 'loop',
    contract: 'LoopingToken',
    give: 'mint',
    listed: { name: 'Looping', symbol: 'LOOP', decimals: 18 },
  },
  { id: 'huge', contract: 'HugeStringToken', give: 'mint', listed: { name: 'Huge', symbol: 'HUGE', decimals: 18 } },
  {
    id: 'broken',
    contract: 'BrokenStringsToken',
    give: 'mint',
    listed: { name: 'Broken', symbol: 'BRKN', decimals: 18 },
  },
  { id: 'spam', contract: 'SpamToken' },
  {
    id: 'max',
    contract: 'MaxToken',
    args: (deployer) => [deployer],
    listed: { name: 'Max', symbol: 'MAX', decimals: 18 },
  },
  {
    id: 'wavax',
    contract: 'WrappedNative',
    listed: { name: 'Wrapped AVAX', symbol: 'WAVAX', decimals: 18 },
  },
  {
    id: 'proxy',
    contract: 'UpTokenV1',
    give: 'mint',
    listed: { name: 'Upgradeable v1', symbol: 'UP1', decimals: 18 },
  },
] as const satisfies readonly Planned[]

/** What holder 1, 2 and 3 get of each token, in its smallest unit. */
const sandboxAmounts = [1_234_567_890n, 5n, 98_765_432_109_876_543_210n] as const

/** A local EVM chain with Multicall3 and the good and hostile tokens of the recordings. */
export async function startSandboxEvm({ chainId }: { chainId: number }): Promise<SandboxEvm> {
  const anvil = await startAnvil({ chainId })
  try {
    const multicall = await installMulticall3(anvil)
    const [deployer = ''] = anvil.accounts
    const tokens: Record<string, string> = {}
    for (const token of plan as readonly Planned[]) {
      let address = await anvil.deploy(token.contract, token.args?.(deployer))
      if (token.id === 'proxy') {
        const setup = callData('UpTokenV1', 'initialize', [deployer])
        address = await anvil.deploy('LabProxy', [address, setup])
      }
      tokens[token.id] = address
      if (!token.give) continue
      for (const [index, amount] of sandboxAmounts.entries()) {
        const data = callData(token.contract, token.give, [anvil.accounts[index + 1], amount])
        await anvil.send({ to: address, data })
      }
    }
    await anvil.send({ to: tokens['wavax'] ?? '', from: anvil.accounts[1] ?? '', value: 10n ** 18n })
    await anvil.send({ to: tokens['max'] ?? '', data: callData('MaxToken', 'inflate', [anvil.accounts[1]]) })
    // Spam tells holders of itself by events; its balanceOf says yes to everybody.
    const airdrop = callData('SpamToken', 'airdrop', [deployer, anvil.accounts.slice(1, 4), 5_000n * 10n ** 18n])
    await anvil.send({ to: tokens['spam'] ?? '', data: airdrop })
    return {
      url: anvil.url,
      chainId,
      caip2Id: `eip155:${chainId}`,
      multicall,
      accounts: anvil.accounts,
      tokens: tokens as SandboxEvm['tokens'],
      tokenList: tokenList(chainId, tokens),
      stop: anvil.stop,
    }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

function tokenList(chainId: number, addresses: Record<string, string>): TokenList {
  return {
    name: 'Sandbox tokens',
    timestamp: '2026-01-01T00:00:00.000Z',
    version: { major: 1, minor: 0, patch: 0 },
    tokens: (plan as readonly Planned[]).flatMap(({ id, listed }) =>
      listed ? [{ chainId, address: addresses[id] ?? '', ...listed }] : [],
    ),
  }
}
