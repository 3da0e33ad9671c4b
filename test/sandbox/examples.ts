import { AVALANCHE_REFERENCES } from '../../src/schemas/index.ts'
import { SANDBOX_REFERENCES } from './settings.ts'
import type { Sandbox } from './start.ts'

/** Lines to paste: one per API and per chain family. */
export function examples(sandbox: Sandbox): string {
  const balances = (title: string, item: unknown): string =>
    [
      `# ${title}`,
      `curl -N -X POST ${sandbox.url}/v1/balance/get-balances -H 'content-type: application/json' -d '${JSON.stringify({ data: [item], currency: 'usd', showUntrustedTokens: true })}'`,
    ].join('\n')
  const [, holder = '', second = ''] = sandbox.evm.accounts
  const { bob, dave } = sandbox.bitcoin.accounts
  const { pvm: P, avm: X, coreth: C } = AVALANCHE_REFERENCES[sandbox.avalanche.side]
  // Equal ids are one wallet: those that own the same kinds of things are told apart by their address.
  const shown = sandbox.avalanche.wallets.slice(0, 3)
  const named = new Set(shown.map(({ name }) => name)).size === shown.length
  const wallets = shown.map(({ name, address }) => ({ id: named ? name : address, addresses: [address] }))
  return [
    `# Chains that are served\ncurl ${sandbox.url}/v1/balance/get-supported-chains`,
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
  ].join('\n\n')
}
