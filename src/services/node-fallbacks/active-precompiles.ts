import { BadAnswerError } from '../../errors.ts'
import { type JsonRecord, recordOf } from '../../lib/json/json-record.ts'

/** Asks an EVM endpoint; resolves to the parsed `result`. */
export type AskEvm = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Configurations of one precompile, the latest last: from the genesis, then from upgrades. */
function configsOf(chain: JsonRecord, name: string): JsonRecord[] {
  const upgrades = chain['upgrades'] === undefined ? {} : recordOf(chain['upgrades'], 'upgrades')
  const later = upgrades['precompileUpgrades'] ?? []
  if (!Array.isArray(later)) throw new BadAnswerError('precompileUpgrades: no list')
  return [chain, ...later.map((entry: unknown) => recordOf(entry, 'precompileUpgrades'))].flatMap((holder) =>
    holder[name] === undefined ? [] : [recordOf(holder[name], name)],
  )
}

/**
 * `eth_getActivePrecompilesAt` composed of `eth_getActiveRulesAt`, which replaces it and returns names and times, and
 * `eth_getChainConfig`, which returns the configurations.
 * @param params of the call: an optional unix time
 * @throws errors of `ask`; BadAnswerError when an active precompile has no configuration.
 */
export async function composeActivePrecompiles(ask: AskEvm, params: readonly unknown[]): Promise<JsonRecord> {
  const [rules, config] = await Promise.all([ask('eth_getActiveRulesAt', params), ask('eth_getChainConfig', [])])
  const active = recordOf(recordOf(rules, 'rules')['precompiles'], 'precompiles')
  const chain = recordOf(config, 'chain config')
  const found = Object.entries(active).map(([name, entry]): [string, unknown] => {
    const since = recordOf(entry, name)['timestamp']
    const match = configsOf(chain, name).findLast((one) => one['blockTimestamp'] === since)
    if (match === undefined) throw new BadAnswerError(`${name}: no configuration since ${String(since)}`)
    return [name, match]
  })
  return Object.fromEntries(found)
}
