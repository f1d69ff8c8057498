// SQLite as Node ships it. Older versions of Node tell everybody who loads it that it is an experiment, on standard error. The
// notice holds nothing that a user of this package could act on, so it is left out; all other warnings pass.

/** The notice has no code; only its text identifies it. */
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
