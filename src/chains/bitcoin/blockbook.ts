import { BadAnswerError } from '../../errors.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import type { BitcoinBalances } from '../capabilities.ts'
import { difference, plausible, satoshiText } from './amounts.ts'
import type { BitcoinBackend } from './backend.ts'
import { bitcoinHeadProbe } from './head-probe.ts'
import { createHttpBackend, type HttpBackendDeps } from './http-backend.ts'

const read = (answer: unknown, address: string): BitcoinBalances => {
  const body = recordOf(answer, 'blockbook address')
  // Versions before 0.5 answer this at every path while they still follow the chain; later ones refuse.
  if (body.blockbook !== undefined) throw new BadAnswerError('blockbook still follows the chain')
  if (body.address !== address) throw new BadAnswerError(`blockbook answered for another address than ${address}`)
  const confirmed = satoshiText(body.balance, 'balance')
  const unconfirmed = satoshiText(body.unconfirmedBalance, 'unconfirmedBalance')
  const received = satoshiText(body.totalReceived, 'totalReceived')
  const sent = satoshiText(body.totalSent, 'totalSent')
  if (difference(received, sent, 'address') !== confirmed) {
    throw new BadAnswerError('balance is not what was received less what was sent')
  }
  return plausible({ confirmed, unconfirmed })
}

/**
 * Blockbook v2: `GET /api/v2/address/:a?details=tokens`. `balance` is the amount in blocks, `unconfirmedBalance` the
 * mempool's change, both decimal strings in satoshi. Since 0.6.0 `details=basic` leaves the mempool out. The next level
 * adds nothing else on Bitcoin, and in older servers nothing at all.
 */
export const createBlockbookBackend = (deps: HttpBackendDeps): BitcoinBackend =>
  createHttpBackend(
    {
      kind: 'blockbook',
      path: (address) => `/api/v2/address/${encodeURIComponent(address)}?details=tokens`,
      read,
      tip: bitcoinHeadProbe('blockbook'),
    },
    deps,
  )
