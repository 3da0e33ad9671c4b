import { recordedJson } from '../../../support/recorded/recordings.ts'

/** What the rows ask for by name, of the recorded network. */
export const network = recordedJson<{ chains: Record<'P' | 'X' | 'C', string>; avaxAssetID: string }>('network')
const state = recordedJson<{
  blockchains: { blockchains: { id: string; subnetID: string }[] }
  l1Validators: { validationID: string }[]
  primary: { validators: { nodeID: string }[] }
}>('platform-state')
export const l1 = recordedJson<{ blockchainID: string }>('../l1/l1')
export const address = 'P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'
export const subnetID = state.blockchains.blockchains[0]?.subnetID
export const validator = state.primary.validators[0]?.nodeID
export const validationID = state.l1Validators[0]?.validationID
