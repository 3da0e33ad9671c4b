import type { buildGenesis } from '../../../../src/chains/avalanche/codec/index.ts'
import { formatBech32Address, hrpOfNetwork } from '../../../../src/lib/bytes/bech32-address.ts'
import { bytesToHex, formatNodeId, idToCb58 } from '../../../../src/lib/bytes/ids.ts'

type Genesis = ReturnType<typeof buildGenesis>
type GenesisTx = Genesis['chains'][number] | Genesis['validators'][number]
type Unsigned = GenesisTx['unsignedTx']
type Of<T extends Unsigned['type']> = Extract<Unsigned, { type: T }>
type Staking = Of<'AddValidatorTx'> | Of<'AddPermissionlessValidatorTx'>
type Output = Staking['stakeOutputs'][number]['output']
type Owner = Of<'AddValidatorTx'>['rewardsOwner']

/** The feature extension of amounts, under which a node names every output of P. */
const SECP_FX = 'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ'
/** Numbers of 64 bits are digits in a node's JSON, which JSON.stringify cannot write. */
const DIGITS = /"\u0001(\d+)\u0001"/g

/**
 * A transaction of P's genesis as a node writes it with the encoding `json`: it has no inputs, no change and no signatures.
 * Undefined for types that no genesis has.
 */
export function genesisJson({ id, unsignedTx }: GenesisTx): string | undefined {
  if (!isGenesis(unsignedTx)) return undefined
  const members = membersOf(unsignedTx)
  const head = { networkID: unsignedTx.networkId, blockchainID: idToCb58(unsignedTx.blockchainId) }
  const tx = {
    unsignedTx: { ...head, outputs: [], inputs: [], memo: `0x${bytesToHex(unsignedTx.memo)}`, ...members },
    credentials: [],
    id: idToCb58(id),
  }
  const text = JSON.stringify(tx, (_, value) => (typeof value === 'bigint' ? `\u0001${value}\u0001` : value))
  return text.replaceAll(/\\u0001/g, '\u0001').replaceAll(DIGITS, '$1')
}

const isGenesis = (tx: Unsigned): tx is Of<'CreateChainTx'> | Staking =>
  tx.type === 'CreateChainTx' || tx.type === 'AddValidatorTx' || tx.type === 'AddPermissionlessValidatorTx'

function membersOf(tx: Of<'CreateChainTx'> | Staking): object {
  if (tx.type === 'CreateChainTx') return chainMembers(tx)
  const writer = ownerWriter(hrpOfNetwork(tx.networkId))
  if (tx.type === 'AddValidatorTx')
    return { ...stakeMembers(tx, writer), rewardsOwner: writer.owner(tx.rewardsOwner), shares: tx.delegationShares }
  const { validator, stake } = stakeMembers(tx, writer)
  return {
    validator,
    subnetID: idToCb58(tx.subnetId),
    signer:
      tx.signer.type === 'no-signer'
        ? {}
        : {
            publicKey: `0x${bytesToHex(tx.signer.publicKey)}`,
            proofOfPossession: `0x${bytesToHex(tx.signer.signature)}`,
          },
    stake,
    validationRewardsOwner: writer.owner(tx.validatorRewardsOwner),
    delegationRewardsOwner: writer.owner(tx.delegatorRewardsOwner),
    shares: tx.delegationShares,
  }
}

const chainMembers = (tx: Of<'CreateChainTx'>): object => ({
  subnetID: idToCb58(tx.subnetId),
  chainName: tx.chainName,
  vmID: idToCb58(tx.vmId),
  fxIDs: tx.fxIds.map(idToCb58),
  genesisData: Buffer.from(tx.genesisData).toString('base64'),
  subnetAuthorization: { signatureIndices: [] },
})

function ownerWriter(hrp: string) {
  const addresses = (all: readonly Uint8Array[]) => all.map((one) => formatBech32Address(one, hrp, 'P'))
  const output = (of: Output): object => {
    if (of.type === 'stakeable-lock') return { locktime: of.locktime, output: output(of.output) }
    const { amount, locktime, threshold } = of
    return { addresses: addresses(of.addresses), amount, locktime, threshold }
  }
  const owner = (of: Owner): object => ({
    addresses: addresses(of.addresses),
    locktime: of.locktime,
    threshold: of.threshold,
  })
  return { output, owner }
}

function stakeMembers({ validator, stakeOutputs }: Staking, writer: ReturnType<typeof ownerWriter>) {
  const { nodeId, start, end, weight } = validator
  return {
    validator: { nodeID: formatNodeId(nodeId), start, end, weight },
    stake: stakeOutputs.map(({ assetId, output }) => ({
      assetID: idToCb58(assetId),
      fxID: SECP_FX,
      output: writer.output(output),
    })),
  }
}
