import type { Anvil } from './anvil.ts'

/** Where Multicall3 lives on nearly every public chain. */
export const multicall3Address = '0xca11bde05977b3631167028862be2a173976ca11'

/** Puts Multicall3 at its usual address. Its byte code comes from viem, which does not export that file by name. */
export async function installMulticall3(anvil: Anvil): Promise<string> {
  const file = new URL('constants/contracts.js', import.meta.resolve('viem')).href
  const { multicall3Bytecode } = (await import(file)) as { multicall3Bytecode: string }
  const { contractAddress } = await anvil.send({ data: multicall3Bytecode })
  await anvil.rpc('anvil_setCode', [multicall3Address, await anvil.rpc('eth_getCode', [contractAddress, 'latest'])])
  return multicall3Address
}
