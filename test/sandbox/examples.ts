import { AVALANCHE_REFERENCES } from '../../src/facts/caip.ts'
import { ownHeaders } from './credentials.ts'
import { SANDBOX_REFERENCES } from './settings.ts'
import type { Sandbox } from './start.ts'

/** As the indexed API calls them. */
const NETWORKS = { mainnet: 'mainnet', testnet: 'fuji' } as const

const REWARDS = 'Stake rewards of the last of these wallets, from the index once it has caught up'

/** What the first of the recorded wallets has on a chain. */
const balancesPath = ({ avalanche }: Sandbox, chain: string): string =>
  `/v1/networks/${NETWORKS[avalanche.side]}/blockchains/${chain}/balances?addresses=${avalanche.wallets[0]?.address}`

/** Where the index says whether it can be asked, and what is shown there: an answer of X needs P as well. */
export function indexed(sandbox: Sandbox): { urls: string[]; headers: Record<string, string> } {
  const { url, indexes, credentials, dataPathPrefix } = sandbox
  const paths = ['p-chain', 'x-chain', 'c-chain'].map((chain) => balancesPath(sandbox, chain))
  return {
    urls: indexes ? [...paths, '/v1/transactions?pageSize=1'].map((path) => `${url}${dataPathPrefix}${path}`) : [],
    headers: {
      ...(credentials.token ? { authorization: `Bearer ${credentials.token}` } : {}),
      ...ownHeaders(credentials).data,
    },
  }
}

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Whoever has what is asked for has to add it: such lines would only be refused. */
const LEFT_OUT = {
  all: '# Every path needs an access token, which the configured password does not create (any more): no commands to paste',
  balance:
    '# Balances and stake rewards need an x-firebase-appcheck, which the settings do not contain: no commands to paste',
  data: '# Indexed chain data need an x-glacier-api-key, which the settings do not contain: no command to paste',
}

/** Lines to paste: one per API and per chain family, and before them one for the access token where that is required. */
export function examples(sandbox: Sandbox): string {
  const { token, appCheck, apiKey } = sandbox.credentials
  if (token === null) return LEFT_OUT.all
  return [
    // The token and not the password, which may be that of other servers as well.
    ...(token === undefined ? [] : [`# An access token for every path\nTOKEN=${quoted(token)}`]),
    ...(appCheck === null ? [LEFT_OUT.balance] : balanceLines(sandbox)),
    nodeLine(sandbox),
    apiKey === null ? LEFT_OUT.data : dataLine(sandbox),
  ].join('\n\n')
}

/** How a question is asked with curl. */
function createCurl({ url, credentials }: Sandbox) {
  const line = (path: string, shown: Record<string, string>): string => {
    const headers = Object.entries(shown).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
    const access = credentials.token === undefined ? '' : ' -H "authorization: Bearer $TOKEN"'
    // Quoted: a shell may take the brackets of an IPv6 address for a pattern.
    return `${quoted(url + path)}${access}${headers.join('')}`
  }
  return {
    get: (title: string, path: string, shown = {}): string => `# ${title}\ncurl ${line(path, shown)}`,
    post: (title: string, path: string, body: unknown, shown = {}): string =>
      `# ${title}\ncurl -N -X POST ${line(path, { ...shown, 'content-type': 'application/json' })} -d ${quoted(JSON.stringify(body))}`,
  }
}

/** Equal ids are one wallet: those that own the same kinds of things are told apart by their address. */
function shownWallets({ avalanche }: Sandbox): { id: string; addresses: [string] }[] {
  const shown = avalanche.wallets.slice(0, 3)
  const named = new Set(shown.map(({ name }) => name)).size === shown.length
  return shown.map(({ name, address }) => ({ id: named ? name : address, addresses: [address] }))
}

function balanceLines(sandbox: Sandbox): string[] {
  const { get, post } = createCurl(sandbox)
  const { balance: headers } = ownHeaders(sandbox.credentials)
  const balances = (title: string, item: unknown): string =>
    post(title, '/v1/balance/get-balances', { data: [item], currency: 'usd', showUntrustedTokens: true }, headers)
  const [, holder = '', second = ''] = sandbox.evm.accounts
  const { bob, dave } = sandbox.bitcoin.accounts
  const { pvm: P, avm: X, coreth: C } = AVALANCHE_REFERENCES[sandbox.avalanche.side]
  const wallets = shownWallets(sandbox)
  const rewards = {
    isTestnet: sandbox.avalanche.side === 'testnet',
    addresses: wallets.slice(-1).flatMap(({ addresses }) => addresses.map((address) => `P-${address}`)),
  }
  return [
    get('Supported chains', '/v1/balance/get-supported-chains', headers),
    balances('EVM: native coin and tokens, also hostile ones', {
      namespace: 'eip155',
      addresses: [holder, second],
      references: [String(sandbox.evm.chainId)],
    }),
    balances('Bitcoin: confirmed and in the mempool', {
      namespace: 'bip122',
      addresses: [bob.addresses.testnet, dave.addresses.testnet],
      references: [SANDBOX_REFERENCES.bitcoin],
    }),
    balances('Solana: SPL and Token-2022', {
      namespace: 'solana',
      addresses: Object.values(sandbox.solana.owners),
      references: [SANDBOX_REFERENCES.solana],
    }),
    balances('Avalanche P and X: unlocked, locked, staked, multisig, atomic', {
      namespace: 'avax',
      references: [P, X],
      addressDetails: wallets,
    }),
    balances('Avalanche C: shared memory', { namespace: 'avax', references: [C], addressDetails: wallets }),
    post(REWARDS, '/v1/stake/get-rewards', rewards, headers),
  ]
}

const nodeLine = (sandbox: Sandbox): string =>
  createCurl(sandbox).post('Node API: height of the P-chain', '/ext/bc/P', {
    jsonrpc: '2.0',
    id: 1,
    method: 'platform.getHeight',
    params: {},
  })

const dataLine = (sandbox: Sandbox): string =>
  createCurl(sandbox).get(
    'Indexed chain data: balance of the first of these wallets on P',
    sandbox.dataPathPrefix + balancesPath(sandbox, 'p-chain'),
    ownHeaders(sandbox.credentials).data,
  )
