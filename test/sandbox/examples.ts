import { AVALANCHE_REFERENCES } from '../../src/lib/caip.ts'
import { SANDBOX_REFERENCES } from './settings.ts'
import type { Sandbox } from './start.ts'

/** As the indexed API calls them. */
const NETWORKS = { mainnet: 'mainnet', testnet: 'fuji' } as const

/** Where the index says whether it can be asked: an answer of X needs P as well. */
export function indexed({ url, avalanche, indexes }: Sandbox): string[] {
  const blockchains = `${url}/v1/networks/${NETWORKS[avalanche.side]}/blockchains`
  const balances = `balances?addresses=${avalanche.wallets[0]?.address}`
  const chains = ['p-chain', 'x-chain', 'c-chain'].map((chain) => `${blockchains}/${chain}/${balances}`)
  return indexes ? [...chains, `${url}/v1/transactions?pageSize=1`] : []
}

/** Lines to paste: one per API and per chain family. */
export function examples(sandbox: Sandbox): string {
  const get = (title: string, path: string): string => `# ${title}\ncurl '${sandbox.url}${path}'`
  const post = (title: string, path: string, body: unknown): string =>
    `# ${title}\ncurl -N -X POST ${sandbox.url}${path} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
  const balances = (title: string, item: unknown): string =>
    post(title, '/v1/balance/get-balances', { data: [item], currency: 'usd', showUntrustedTokens: true })
  const [, holder = '', second = ''] = sandbox.evm.accounts
  const { bob, dave } = sandbox.bitcoin.accounts
  const { pvm: P, avm: X, coreth: C } = AVALANCHE_REFERENCES[sandbox.avalanche.side]
  // Equal ids are one wallet: those that own the same kinds of things are told apart by their address.
  const shown = sandbox.avalanche.wallets.slice(0, 3)
  const named = new Set(shown.map(({ name }) => name)).size === shown.length
  const wallets = shown.map(({ name, address }) => ({ id: named ? name : address, addresses: [address] }))
  const network = NETWORKS[sandbox.avalanche.side]
  return [
    get('Chains that are served', '/v1/balance/get-supported-chains'),
    balances('EVM: native and tokens, good and hostile', {
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
    post('Stake rewards of the last of them, from the own index once it has come to the tip', '/v1/stake/get-rewards', {
      isTestnet: sandbox.avalanche.side === 'testnet',
      addresses: shown.slice(-1).map(({ address }) => `P-${address}`),
    }),
    post('Node API: height of the P-chain', '/ext/bc/P', {
      jsonrpc: '2.0',
      id: 1,
      method: 'platform.getHeight',
      params: {},
    }),
    get(
      'Indexed chain data: what the first of them has on P',
      `/v1/networks/${network}/blockchains/p-chain/balances?addresses=${shown[0]?.address}`,
    ),
  ].join('\n\n')
}
