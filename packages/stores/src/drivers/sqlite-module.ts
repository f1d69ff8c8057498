// Older versions of Node warn that SQLite is experimental. Users of this package cannot act on that; other warnings pass.

/** The warning has no code, so it is matched by text. */
const NOTICE = 'SQLite is an experimental feature'

const load = (): typeof import('node:sqlite') => {
  const { emitWarning } = process
  process.emitWarning = ((...warning: Parameters<typeof emitWarning>) => {
    if (!String(warning[0]).startsWith(NOTICE)) Reflect.apply(emitWarning, process, warning)
  }) as typeof emitWarning
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

export const { DatabaseSync } = load()
