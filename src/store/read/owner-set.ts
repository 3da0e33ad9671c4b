import type { OwnerSet } from '../rows/index.ts'
import type { StoredOwners } from '../schema/primary-index.ts'

/** An owner set from its jsonb form. */
export const toOwnerSet = (stored: StoredOwners): OwnerSet => ({
  threshold: stored.threshold,
  locktime: BigInt(stored.locktime),
  addresses: stored.addresses,
})
