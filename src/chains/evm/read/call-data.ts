/** Call data of the ERC-20 functions that are read here (EIP-20). */
export const NAME_DATA = '0x06fdde03'
export const SYMBOL_DATA = '0x95d89b41'
export const DECIMALS_DATA = '0x313ce567'

/**
 * Gas limit, hex, for a call of one contract that anybody may have written: the default of most nodes (50,000,000).
 * Some nodes allow any amount (C after Helicon), and a function with an endless loop then takes them half a minute.
 */
export const CALL_GAS = '0x2faf080'

/** balanceOf(owner); `owner` is hex with 0x. */
export const balanceOfData = (owner: string): string => `0x70a08231${owner.slice(2).padStart(64, '0')}`

/** uiMultiplier() (ERC-8056). The id of the interface is the same: it is its only function. */
export const UI_MULTIPLIER_DATA = '0xa60bf13d'

/** supportsInterface(id) (ERC-165); `id` is four bytes, hex with 0x. */
export const supportsData = (id: string): string => `0x01ffc9a7${id.slice(2).padEnd(64, '0')}`
