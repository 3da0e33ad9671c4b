import type { Logger } from 'pino'
import { BadInputError, CancelledError, DeadlineError, failure } from '../../errors.ts'
import { inTurns } from '../../lib/waiting/in-turns.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type {
  AddressAccount,
  BalanceSource,
  KnownToken,
  NativeToken,
  Outcome,
  SolanaBalances,
  SolanaTokenAmount,
  TokenCatalogue,
} from '../capabilities.ts'
import { createAccountsPerCall } from './accounts-per-call.ts'
import { DERIVED_PER_TURN } from './derived-address.ts'
import type { Owner } from './holdings.ts'
import { type SolanaLimits, solanaLimits } from './limits.ts'
import { attempt, unwrap } from './outcomes.ts'
import { readAccountAddress } from './public-key.ts'
import { createSlotFloor } from './slot-floor.ts'
import { createListedTokens } from './tokens/listed-tokens.ts'
import { createMintFacts, type MintFacts, type WantedMint } from './tokens/mint-facts.ts'
import { createTokenDescriber } from './tokens/token-description.ts'
import { readWallets, type Wallet } from './wallets.ts'

export interface SolanaBalanceSourceDeps {
  /** `solana:` and the first 32 digits of the genesis hash. */
  caip2Id: string
  native: NativeToken
  pool: UpstreamPool
  tokens: TokenCatalogue
  /** Left out: `solanaLimits`. */
  limits?: Partial<SolanaLimits>
  logger?: Pick<Logger, 'debug'>
}

/** Each mint once, over all wallets. */
const mintsOf = (wallets: Iterable<Wallet>, listed: ReadonlyMap<string, KnownToken>): WantedMint[] => {
  const wanted = new Map<string, WantedMint>()
  for (const { holdings } of wallets) {
    for (const { mint, mintBytes, program, amount } of holdings) {
      // Two who hold one each hold two of a kind, as well as one who holds both.
      const single = amount === 1n && !wanted.has(mint)
      wanted.set(mint, { mint, mintBytes, program, single, needsText: !listed.has(mint) })
    }
  }
  return [...wanted.values()]
}

/**
 * Lamports and tokens of SPL Token and Token-2022. NFTs (decimals 0, supply 1) and zero balances are left out, several
 * accounts of one mint are summed. A list's name takes precedence over the chain's. Error texts name the cause only;
 * the service puts the operation in front.
 */
export const createSolanaBalanceSource = (
  deps: SolanaBalanceSourceDeps,
): BalanceSource<AddressAccount, SolanaBalances> => {
  const { caip2Id, pool } = deps
  const limits = { ...solanaLimits, ...deps.limits }
  const listedTokens = createListedTokens(deps.tokens, caip2Id)
  const reading = { pool, limits, floor: createSlotFloor(), perCall: createAccountsPerCall() }
  const readMints = createMintFacts(reading)
  const describe = createTokenDescriber({ caip2Id, addressEntries: limits.addressEntries })

  const readOwners = (accounts: readonly AddressAccount[], results: Map<string, Outcome<SolanaBalances>>): Owner[] => {
    const owners = new Map<string, Owner>()
    for (const { id } of accounts) {
      const owner = attempt((): Owner => {
        if (owners.size >= limits.maxAccounts && !owners.has(id)) throw new BadInputError('too many addresses at once')
        return { id, bytes: readAccountAddress(id) }
      })
      if (owner.ok) owners.set(id, owner.value)
      else results.set(id, owner)
    }
    return [...owners.values()]
  }

  const compose = async (
    { owner, native, holdings }: Wallet,
    facts: ReadonlyMap<string, Outcome<MintFacts>>,
    listed: ReadonlyMap<string, KnownToken>,
  ): Promise<Outcome<SolanaBalances>> => {
    const tokens: SolanaTokenAmount[] = []
    const add = (holding: Wallet['holdings'][number]): void => {
      const mint = unwrap(facts.get(holding.mint), `mint ${holding.mint}`)
      // Two of a kind are not an NFT, whatever an older read of the mint says.
      if (!mint.nft || holding.amount > 1n) tokens.push(describe(holding, owner, mint, listed.get(holding.mint)))
    }
    try {
      await inTurns(holdings, DERIVED_PER_TURN, add)
      return { ok: true, value: { native, tokens } }
    } catch (error) {
      return failure(error)
    }
  }

  return {
    caip2Id,
    networkType: 'svm',
    native: deps.native,
    async readBalances(accounts, context) {
      const results = new Map<string, Outcome<SolanaBalances>>()
      const owners = readOwners(accounts, results)
      if (owners.length === 0) return results
      const wallets = await readWallets(reading, owners, context)
      const listed = listedTokens()
      const readable = wallets.flatMap(([, wallet]) => (wallet.ok ? [wallet.value] : []))
      const facts = await readMints(mintsOf(readable, listed), context)
      // After a deadline the accounts still report what delayed them; after the reader has left nothing is reported.
      const { aborted, reason } = context.signal
      if (aborted && !(reason instanceof DeadlineError)) throw new CancelledError()
      for (const [id, wallet] of wallets) {
        const outcome = wallet.ok ? await compose(wallet.value, facts, listed) : wallet
        if (!outcome.ok) deps.logger?.debug({ caip2Id, id, err: outcome.error }, 'solana account could not be read')
        results.set(id, outcome)
      }
      return results
    },
  }
}
