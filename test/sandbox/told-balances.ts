import type { RecordedEvmBlock } from '../support/evm/recorded-evm.ts'

/**
 * What a node says that everybody who takes part in recorded blocks, and everybody else who is named, owns of the native
 * coin at the end, wei by address in lower case. Rejects where it does not know somebody: a wrong number is worse than none.
 */
export async function toldBalances(
  url: string,
  recorded: readonly RecordedEvmBlock[],
  others: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const parties = recorded.flatMap(({ block }) =>
    block.transactions.flatMap(({ from, to }) => (to ? [from, to] : [from])),
  )
  const balances = new Map<string, bigint>()
  for (const account of new Set([...parties, ...others].map((address) => address.toLowerCase()))) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [account, 'latest'] }),
    })
    const { result } = (await answer.json()) as { result?: string }
    if (result === undefined) throw new Error(`the balance of ${account} was not recorded`)
    balances.set(account, BigInt(result))
  }
  return balances
}
