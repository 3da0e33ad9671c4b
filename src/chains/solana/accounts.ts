import { asError, BadAnswerError } from '../../errors.ts'
import { inChunks } from '../../lib/in-chunks.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import { type AccountData, readAccountData } from './account-data.ts'
import type { AccountsPerCall } from './accounts-per-call.ts'
import { callSlotted } from './slotted.ts'

/**
 * Enough for a mint with every fixed-size extension and the head of its metadata, and for a Metaplex account. A mint
 * may be megabytes long, at the cost of those who read it.
 */
const DATA_SLICE = { offset: 0, length: 2_048 }

const failAll = (addresses: readonly string[], error: unknown): [string, Outcome<never>][] => {
  const reason = asError(error)
  return addresses.map((address) => [address, { ok: false, error: reason }])
}

/**
 * Data of accounts, as many per call as the servers accept, all calls started in one turn; null = the account does not
 * exist. An answer from before slot `least` is requested once more; if it is still older, it is an error.
 */
export const readAccounts = async (
  { pool, perCall }: { pool: UpstreamPool; perCall: AccountsPerCall },
  addresses: readonly string[],
  context: ReadContext,
  least: bigint,
): Promise<Map<string, Outcome<AccountData | null>>> => {
  const readPart = async (part: readonly string[]): Promise<[string, Outcome<AccountData | null>][]> => {
    try {
      const read = (value: unknown): (AccountData | null)[] => {
        if (!Array.isArray(value) || value.length !== part.length) {
          throw new BadAnswerError('getMultipleAccounts did not answer every account')
        }
        return part.map((address, index) =>
          value[index] === null ? null : readAccountData(value[index], `account ${address}`),
        )
      }
      const call = {
        method: 'getMultipleAccounts',
        params: [part],
        config: { encoding: 'base64', dataSlice: DATA_SLICE },
        check: (value: unknown) => void read(value),
      }
      const first = await callSlotted(pool, call, context)
      const accounts = read((first.slot < least ? await callSlotted(pool, call, context, least) : first).value)
      return part.map((address, index) => [address, { ok: true, value: accounts[index] ?? null }])
    } catch (error) {
      return perCall.learn(error, part.length) ? readParts(part) : failAll(part, error)
    }
  }
  const readParts = async (wanted: readonly string[]): Promise<[string, Outcome<AccountData | null>][]> =>
    (await Promise.all(inChunks(wanted, perCall.most()).map(readPart))).flat()
  return new Map(await readParts(addresses))
}
