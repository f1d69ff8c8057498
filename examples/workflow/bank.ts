// Stands for your own systems: a list of claims, a rule, and a bank. Put yours here.
export interface Claim {
  readonly employee: string
  readonly purpose: string
  readonly euros: number
}

export const recordClaim = ({ employee }: Claim): { number: string } => ({
  number: `${employee.slice(0, 2).toUpperCase()}-${Math.floor(1000 + Math.random() * 9000)}`,
})

/** The reason why a claim is declined without asking anybody; null = a person decides. */
export const checkClaim = ({ euros }: Claim): string | null =>
  euros > 5_000 ? 'expenses above 5000 euros need an order first.' : null

const paid = new Map<string, string>()

/** A bank pays once for each key, however often it is asked. */
export const payOut = (euros: number, key: string): string => {
  const transfer = paid.get(key) ?? `T${paid.size + 1}-${euros}`
  paid.set(key, transfer)
  return transfer
}
