interface Item {
  namespace: string
  references: string[]
  addresses?: string[]
  addressDetails?: { id: string }[]
  extendedPublicKeyDetails?: { id: string }[]
}

/**
 * Every (chain, id) pair a get-balances body asks for, sorted, each once: addresses × references, and for avax the ids
 * of wallets and keys × references (balance spec, request item shapes).
 */
export function expectedPairs(body: unknown): string[] {
  const pairs = (body as { data: Item[] }).data.flatMap((item) => {
    const ids = [
      ...(item.namespace === 'avax' ? [] : (item.addresses ?? [])),
      ...[...(item.addressDetails ?? []), ...(item.extendedPublicKeyDetails ?? [])].map(({ id }) => id),
    ]
    return item.references.flatMap((reference) => ids.map((id) => `${item.namespace}:${reference} ${id}`))
  })
  return [...new Set(pairs)].sort()
}

/** The pairs that a stream answered, sorted; one that came twice is there twice. */
export const answeredPairs = (items: readonly unknown[]): string[] =>
  items.map((item) => `${(item as { caip2Id: string }).caip2Id} ${(item as { id: string }).id}`).sort()
