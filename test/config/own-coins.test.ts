import { expect, it } from 'vitest'
import { catalogue } from '../../src/config/catalogue/index.ts'
import { configOf } from './sources.ts'

const COIN = { name: 'Own coin', symbol: 'OWN' }
const MAINNET_BITCOIN = '000000000019d6689c085ae165831e93'

it('another coin in the place of a built-in one has neither its price nor its name with wallets', () => {
  const { avalanche, evm, bitcoin } = configOf({
    file: {
      chains: {
        avalanche: { mainnet: { upstreams: [{ url: 'http://127.0.0.1:9650' }], native: COIN } },
        bitcoin: { [MAINNET_BITCOIN]: { native: COIN } },
      },
    },
    argv: ['--chains-evm', JSON.stringify({ '43114': { native: { ...COIN, priceId: 'own' } } })],
  }).chains
  expect(avalanche.mainnet?.native).toEqual({ ...COIN, decimals: 9 })
  expect(bitcoin[MAINNET_BITCOIN]?.native).toEqual({ ...COIN, decimals: 8 })
  expect(evm['43114']?.native).toEqual({ ...COIN, decimals: 18, priceId: 'own' })
})

it('one that is only called otherwise, or has another price, is the same', () => {
  const { evm } = configOf({
    file: { chains: { evm: { '1': { native: { name: 'Ether' } }, '10': { native: { priceId: 'mine' } } } } },
    argv: ['--chains-evm', '{"8453":{"native":{"symbol":"ETH"}}}'],
  }).chains
  expect(evm['1']?.native).toEqual({ ...catalogue.evm['1']?.native, name: 'Ether' })
  expect(evm['10']?.native).toEqual({ ...catalogue.evm['10']?.native, priceId: 'mine' })
  expect(evm['8453']?.native).toEqual(catalogue.evm['8453']?.native)
})
