// The payload of `instructions_loaded` as a page reads it. The log of another version may have anything in it.

export interface InstructionFacts {
  readonly files: readonly {
    readonly path: string
    readonly kind: string
    readonly bytes: number
    readonly digest: string
  }[]
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[]
  readonly ignored: readonly { readonly path: string; readonly keys: readonly string[] }[]
}

export const instructionFacts = (notice: { readonly [name: string]: unknown }): InstructionFacts => ({
  files: entriesOf(notice.files).map(({ path, kind, bytes, digest }) => ({
    path: textOf(path),
    kind: textOf(kind),
    bytes: typeof bytes === 'number' ? bytes : 0,
    digest: textOf(digest),
  })),
  leftOut: entriesOf(notice.left_out).map(({ path, reason }) => ({ path: textOf(path), reason: textOf(reason) })),
  ignored: entriesOf(notice.ignored).map(({ path, keys }) => ({ path: textOf(path), keys: listOf(keys).map(textOf) })),
})

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const entriesOf = (value: unknown): readonly { readonly [name: string]: unknown }[] =>
  listOf(value).filter(
    (each): each is { readonly [name: string]: unknown } => typeof each === 'object' && each !== null,
  )

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
