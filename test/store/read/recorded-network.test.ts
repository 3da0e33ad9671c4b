import { describe } from 'vitest'
import { describeFilledStores } from '../../support/store/store.ts'
import { fillRecorded } from '../recorded-truth.ts'
import { activityQueries } from './activity-queries.ts'
import { balanceQueries } from './balance-queries.ts'
import { blockQueries } from './block-queries.ts'
import { rewardQueries } from './reward-queries.ts'
import { utxoQueries } from './utxos/utxo-queries.ts'

// One filling for all, since it takes longer than all that is read.
describeFilledStores('a store with the recorded network', fillRecorded, (store) => {
  describe('UTXO lists', () => utxoQueries(store))
  describe('balances', () => balanceQueries(store))
  describe('rewards', () => rewardQueries(store))
  describe('last activity', () => activityQueries(store))
  describe('blocks', () => blockQueries(store))
})
