import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Anvil } from './anvil.ts'

/** Where Multicall3 lives on nearly every public chain. */
export const multicall3Address = '0xca11bde05977b3631167028862be2a173976ca11'

/** Puts Multicall3 at its usual address. Its byte code comes from viem, which does not export that file by name. */
export async function installMulticall3(anvil: Anvil): Promise<string> {
  const require = createRequire(import.meta.url)
  const { multicall3Bytecode } = require(join(dirname(require.resolve('viem')), 'constants/contracts.js'))
  const { contractAddress } = await anvil.send({ data: multicall3Bytecode })
  await anvil.rpc('anvil_setCode', [multicall3Address, await anvil.rpc('eth_getCode', [contractAddress, 'latest'])])
  return multicall3Address
}
