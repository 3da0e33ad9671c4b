/** Recorded calls about keys to which Firn on purpose answers otherwise than the node did. */
export const keystoreDifferences: readonly { names: RegExp; what: string; reason: string }[] = [
  {
    names: /^avm\/send\//,
    what: "`avm.send` and other methods that spend with a key of the keystore: `can't find method`.",
    reason: 'Newest nodes lack them, too; money is not sent with passwords in requests.',
  },
]
