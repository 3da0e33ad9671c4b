import { type Keypair, type PublicKey, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { sandboxKeypair } from './keys.ts'

type SvmAddress = Parameters<LiteSVM['getAccount']>[0]
type SvmTransaction = Parameters<LiteSVM['sendTransaction']>[0]
type SvmLamports = Parameters<LiteSVM['airdrop']>[1]

export interface LedgerAccount {
  address: string
  owner: string
  lamports: bigint
  executable: boolean
  data: Buffer
}

const LAMPORTS_PER_SOL = 1_000_000_000n

/** A Solana runtime in memory with the real token programs. */
export const openLedger = () => {
  const svm = new LiteSVM().withLamports(2n ** 62n)
  const payer = sandboxKeypair('payer')
  const airdrop = (to: string, lamports: bigint): void => {
    const result = svm.airdrop(to as SvmAddress, lamports as SvmLamports)
    if (result === null || result instanceof FailedTransactionMetadata) throw new Error(`no airdrop for ${to}`)
  }
  airdrop(payer.publicKey.toBase58(), 1_000n * LAMPORTS_PER_SOL)

  const sendBytes = (messageBytes: Uint8Array, signatures: Record<string, Uint8Array>): Buffer => {
    const result = svm.sendTransaction({ messageBytes, signatures } as unknown as SvmTransaction)
    if (result instanceof FailedTransactionMetadata) {
      throw new Error(`${result.err()} ${result.meta().logs().join(' | ')}`)
    }
    svm.expireBlockhash()
    svm.warpToSlot(svm.getClock().slot + 1n)
    return Buffer.from(result.returnData().data())
  }

  /** What the last instruction returned. */
  const send = (instructions: TransactionInstruction[], signers: Keypair[] = []): Buffer => {
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: svm.latestBlockhash() })
    transaction.add(...instructions).sign(payer, ...signers)
    const signatures = transaction.signatures.map(({ publicKey, signature }) => [publicKey.toBase58(), signature])
    return sendBytes(transaction.serializeMessage(), Object.fromEntries(signatures))
  }

  const account = (address: string): LedgerAccount | undefined => {
    const found = svm.getAccount(address as SvmAddress)
    if (!found.exists) return undefined
    const { programAddress, lamports, executable, data } = found
    return { address, owner: programAddress, lamports, executable, data: Buffer.from(data) }
  }

  return {
    payer,
    airdrop,
    send,
    sendBytes,
    account,
    slot: (): bigint => svm.getClock().slot,
    /** Sets the chain's clock, seconds since 1970. */
    setTime: (seconds: bigint): void => {
      const clock = svm.getClock()
      clock.unixTimestamp = seconds
      svm.setClock(clock)
    },
    blockhash: (): string => svm.latestBlockhash(),
    rent: (bytes: number): bigint => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    programAccounts: (program: PublicKey): LedgerAccount[] =>
      svm.getProgramAccounts(program.toBase58() as SvmAddress).flatMap(({ address }) => account(address) ?? []),
    /** Space for a program to initialise in the same transaction; `grow` bytes more are paid for. */
    allocate: (key: Keypair, program: PublicKey, bytes: number, grow = 0): TransactionInstruction =>
      SystemProgram.createAccount({
        fromPubkey: payer.publicKey,
        newAccountPubkey: key.publicKey,
        lamports: Number(svm.minimumBalanceForRentExemption(BigInt(bytes + grow))),
        space: bytes,
        programId: program,
      }),
    /** Writes an account past every program: only for programs that are not part of the sandbox. */
    place: (address: PublicKey, owner: PublicKey, data: Buffer): void => {
      svm.setAccount({
        address: address.toBase58() as SvmAddress,
        programAddress: owner.toBase58() as SvmAddress,
        lamports: svm.minimumBalanceForRentExemption(BigInt(data.length)) as SvmLamports,
        executable: false,
        space: BigInt(data.length),
        data,
      })
    },
  }
}

export type SolanaLedger = ReturnType<typeof openLedger>
