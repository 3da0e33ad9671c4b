import type { ColumnType } from 'kysely'
import type { ByteaText } from '../bytea.ts'

/** bytea: read as lower-case hex without prefix, written through `bytea(hex)`. */
export type Bytes = ColumnType<string, ByteaText, ByteaText>
export type NullableBytes = ColumnType<string | null, ByteaText | null, ByteaText | null>
/** int8: bigint in both directions. */
export type Int8 = ColumnType<bigint, bigint, bigint>
export type NullableInt8 = ColumnType<bigint | null, bigint | null, bigint | null>
/** numeric: decimal digits as text when read, bigint when written. */
export type Numeric = ColumnType<string, bigint, bigint>
export type NullableNumeric = ColumnType<string | null, bigint | null, bigint | null>
