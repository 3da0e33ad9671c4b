import { expect, it } from 'vitest'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import { listed, startShort } from '../primary/short-index.ts'
import { bornLate, LAST_LOST } from '../primary/x-born-late.ts'
import { everyAddress } from '../recorded-truth.ts'

const cards = trueUtxos().filter(
  ({ type, createdAtHeight, consumedBy }) =>
    type.startsWith('nft.') && createdAtHeight > 0 && createdAtHeight <= LAST_LOST && consumedBy === null,
)

it('NFTs of before X had blocks show as such, though no block tells what their assets are', async () => {
  const { app } = await startShort()
  bornLate()
  const shown = await listed(app, 'X', everyAddress(cards), 'pageSize=1024')
  const types = cards.map(({ utxoId }) => shown.find((utxo) => utxo.utxoId === utxoId)?.asset)
  expect(types.length).toBeGreaterThan(0)
  for (const asset of types) expect(asset).toMatchObject({ type: 'nft' })
})
