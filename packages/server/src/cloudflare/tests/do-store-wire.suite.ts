// Messages between a test and the store in its object: JSON, and big integers, which JSON lacks.
export interface StoreCall {
  readonly id: number
  readonly owner: number
  readonly call: string
  readonly args: unknown[]
}

export interface StoreReply {
  readonly id: number
  readonly value?: unknown
  readonly fault?: { readonly code: string; readonly message: string }
}

const BIG = 'a big integer:'

export const encode = (value: unknown): string =>
  JSON.stringify(value, (_name, each) => (typeof each === 'bigint' ? `${BIG}${each}` : each))

export const decode = (text: string): unknown =>
  JSON.parse(text, (_name, each) =>
    typeof each === 'string' && each.startsWith(BIG) ? BigInt(each.slice(BIG.length)) : each,
  )
