import { nextTurn } from '../../../lib/waiting/next-turn.ts'
import type { Outcome } from '../../capabilities.ts'
import type { Holdings } from './coins.ts'

/** Coins that are summed up in one turn: those of hundreds of wallets, or of a wallet to which everybody sends dust. */
const COINS_PER_TURN = 2_000

/** Sums up wallets one after the other, in their order, with turns for other work in between. */
export async function summarizeEach<W extends { holdings: Holdings }, B>(
  wallets: readonly W[],
  summarize: (wallet: W, index: number) => Outcome<B>,
): Promise<Outcome<B>[]> {
  const outcomes: Outcome<B>[] = []
  let coins = 0
  for (const [index, wallet] of wallets.entries()) {
    outcomes.push(summarize(wallet, index))
    const { own, atomic, staked } = wallet.holdings
    coins += own.length + staked.length
    for (const some of atomic.values()) coins += some.length
    if (coins < COINS_PER_TURN) continue
    coins = 0
    await nextTurn()
  }
  return outcomes
}
