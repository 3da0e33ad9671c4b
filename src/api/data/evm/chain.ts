import { type Static, Type } from '@sinclair/typebox'
import { BadInputError, NotFoundError } from '../../../errors.ts'
import { closed, oneOf } from '../schemas.ts'

const optional = Type.Optional

export const ChainInfoDtoSchema = closed('ChainInfo', {
  chainId: Type.String(),
  status: oneOf(['OK', 'UNAVAILABLE'], { title: 'ChainStatus' }),
  chainName: Type.String(),
  description: Type.String(),
  platformChainId: optional(Type.String()),
  subnetId: optional(Type.String()),
  vmId: optional(Type.String()),
  vmName: oneOf(['EVM', 'BITCOIN', 'ETHEREUM'], { title: 'VmName' }),
  explorerUrl: optional(Type.String()),
  rpcUrl: Type.String(),
  wsUrl: optional(Type.String()),
  isTestnet: Type.Boolean(),
  utilityAddresses: optional(closed('UtilityAddresses', { multicall: optional(Type.String()) })),
  networkToken: closed('NetworkToken', {
    name: Type.String(),
    symbol: Type.String(),
    decimals: Type.Number(),
    logoUri: optional(Type.String()),
  }),
  private: optional(Type.Boolean()),
  enabledFeatures: optional(Type.Array(oneOf(['nftIndexing', 'webhooks', 'teleporter']))),
})
export type EvmChainInfo = Static<typeof ChainInfoDtoSchema>

/** The indexed EVM chains, by decimal chain id. `chainId` of a path takes these or the blockchain id. */
export interface EvmChains {
  list(): Promise<readonly EvmChainInfo[]>
  /** Names of the index streams by the decimal chain id. */
  streams(): Promise<ReadonlyMap<string, string>>
}

/** @throws NotFoundError for a chain that is not indexed here */
export async function evmChainId(chains: EvmChains, given: string): Promise<bigint> {
  const chain = (await chains.list()).find((one) => one.chainId === given || one.platformChainId === given)
  if (!chain) throw new NotFoundError(`chain ${given.slice(0, 64)} is not indexed here`)
  return BigInt(chain.chainId)
}

/** Hex without 0x, lower case. @throws BadInputError */
export function contractAddress(text: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new BadInputError(`Invalid address format: ${text.slice(0, 64)}`)
  return text.slice(2).toLowerCase()
}
