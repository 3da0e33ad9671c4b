import { expect, it } from 'vitest'
import { withTold } from '../../../src/indexer/primary/network-setup.ts'

const NEVER = 2n ** 62n
const known = { cortina: 1n, durango: 2n, etna: 3n, helicon: 4n }

it('the date of an upgrade that was told stays where a node of an older version has none, and moves where it is another', () => {
  expect(withTold(known, { ...known, helicon: NEVER })).toEqual(known)
  expect(withTold({ ...known, helicon: NEVER }, known)).toEqual(known)
  expect(withTold(known, { ...known, helicon: 5n })).toEqual({ ...known, helicon: 5n })
})
