import { type Kysely, type Selectable, sql } from 'kysely'
import { bytea } from '../bytea.ts'
import { tokenStandards } from '../codes.ts'
import type { NftMetadataTable } from '../schema/evm-index.ts'
import type { Database } from '../schema/index.ts'
import type { ChainNumbers } from './chain-numbers.ts'

/** A contract of an indexed EVM chain; address hex without 0x. */
export interface Collection {
  chainId: bigint
  contract: string
}

export interface NftToken {
  tokenId: bigint
  standard: 'ERC-721' | 'ERC-1155'
  /** ERC-721; the zero address when burned. */
  owner?: string
  contract: { name?: string; symbol?: string }
  metadata: NftMetadata
}

/** The last fetched metadata of a token; `status` is the API's enum. */
export interface NftMetadata {
  status: string
  tokenUri?: string
  /** Unix seconds of the last attempt, successful or not. */
  updatedAt?: bigint
  name?: string
  symbol?: string
  imageUri?: string
  description?: string
  animationUri?: string
  externalUrl?: string
  background?: string
  /** JSON texts, as the API returns them. */
  attributes?: string
  properties?: string
  decimals?: number
}

export interface NftQueries {
  /**
   * Tokens of a collection by rising id. Strangers write metadata, up to megabytes for each token: a page ends early
   * after the token that brings it above PAGE_BYTES.
   */
  list(
    collection: Collection,
    page: { afterTokenId?: bigint; limit: number },
  ): Promise<{ tokens: NftToken[]; nextTokenId?: bigint }>
  find(collection: Collection, tokenId: bigint): Promise<NftToken | undefined>
}

const METADATA = [
  ['token_uri', 'tokenUri'],
  ['updated_at', 'updatedAt'],
  ['name', 'name'],
  ['symbol', 'symbol'],
  ['image_uri', 'imageUri'],
  ['description', 'description'],
  ['animation_uri', 'animationUri'],
  ['external_url', 'externalUrl'],
  ['background', 'background'],
  ['attributes', 'attributes'],
  ['properties', 'properties'],
  ['decimals', 'decimals'],
] as const satisfies readonly (readonly [keyof NftMetadataTable, keyof NftMetadata])[]

type TokenRow = Pick<Selectable<NftMetadataTable>, (typeof METADATA)[number][0]> & {
  token_id: string
  standard: number
  owner: string | null
  contract_name: string | null
  contract_symbol: string | null
  status: string | null
  /** Tokens that were read for the page. */
  found: bigint
}

/** Bytes of metadata on one page. */
const PAGE_BYTES = 4_194_304

const columns = sql.raw(METADATA.map(([column]) => `m.${column}`).join(', '))
/** Lengths are known without reading the texts: large texts are stored separately. */
const textBytes = sql.raw(
  METADATA.filter(([column]) => column !== 'updated_at' && column !== 'decimals')
    .map(([column]) => `coalesce(octet_length(m.${column}), 0)`)
    .join(' + '),
)

export function createNftQueries(db: Kysely<Database>, numbers: ChainNumbers): NftQueries {
  const tokens = async (
    collection: Collection,
    condition: ReturnType<typeof sql>,
    limit: number,
  ): Promise<TokenRow[]> => {
    const stream = await numbers.evm(collection.chainId)
    const query = sql<TokenRow>`
      select * from (
      select ${columns}, m.status, n.token_id, n.standard, n.owner, c.name as contract_name,
        c.symbol as contract_symbol, count(*) over () as found,
        sum(${textBytes}) over (order by n.token_id rows between unbounded preceding and 1 preceding) as before
      from (select * from evm_nft n where n.contract = ${bytea(collection.contract)} and n.stream = ${stream}
        and ${condition} order by n.token_id limit ${limit}) n
      left join lateral (select * from evm_nft_metadata m
        where m.contract = n.contract and m.stream = n.stream and m.token_id = n.token_id limit 1) m on true
      left join lateral (select * from evm_contract c
        where c.address = n.contract and c.stream = n.stream limit 1) c on true) page
      where coalesce(before, 0) <= ${PAGE_BYTES} order by token_id`
    return (await query.execute(db)).rows
  }
  return {
    async list(collection, { afterTokenId, limit }) {
      const condition = afterTokenId === undefined ? sql`true` : sql`n.token_id > ${afterTokenId.toString()}::numeric`
      const rows = await tokens(collection, condition, limit + 1)
      const page = rows.slice(0, limit).map(toToken)
      const last = Number(rows[0]?.found ?? 0) > page.length ? page.at(-1) : undefined
      return { tokens: page, ...(last === undefined ? {} : { nextTokenId: last.tokenId }) }
    },
    async find(collection, tokenId) {
      const [row] = await tokens(collection, sql`n.token_id = ${tokenId.toString()}::numeric`, 1)
      return row && toToken(row)
    },
  }
}

function toToken(row: TokenRow): NftToken {
  const metadata: Record<string, unknown> = { status: row.status ?? 'UNINDEXED' }
  for (const [column, member] of METADATA) if (row[column] !== null) metadata[member] = row[column]
  return {
    tokenId: BigInt(row.token_id),
    standard: tokenStandards.word(row.standard) as NftToken['standard'],
    ...(row.owner === null ? {} : { owner: row.owner }),
    contract: {
      ...(row.contract_name === null ? {} : { name: row.contract_name }),
      ...(row.contract_symbol === null ? {} : { symbol: row.contract_symbol }),
    },
    metadata: metadata as unknown as NftMetadata,
  }
}
