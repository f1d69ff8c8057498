// Where a call of the session comes from: the function itself, a tool of it, or a step. Calls inside a tool get names of their own,
// since the tool is not run again when the log has its outcome. Nothing can be called inside a step.

export type CallOrigin = { readonly kind: 'step' | 'call'; readonly name: string }

export interface CallScope {
  run<T>(origin: CallOrigin, call: () => T): T
  current(): CallOrigin | undefined
}

/** Follows asynchronous calls where the platform can; elsewhere it sees as far as the first await. */
export const createCallScope = (): CallScope => {
  const storage = asyncStorage()
  if (storage) return { run: (origin, call) => storage.run(origin, call), current: () => storage.getStore() }
  let current: CallOrigin | undefined
  return {
    run: (origin, call) => {
      const before = current
      current = origin
      try {
        return call()
      } finally {
        current = before
      }
    },
    current: () => current,
  }
}

export const noCallScope: CallScope = { run: (_origin, call) => call(), current: () => undefined }

interface AsyncStorage {
  run<T>(origin: CallOrigin, call: () => T): T
  getStore(): CallOrigin | undefined
}

/** Node and Workers have it as a built-in module; no import, so that the module loads anywhere. */
const asyncStorage = (): AsyncStorage | null => {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { AsyncLocalStorage: new () => AsyncStorage } | undefined }
  }
  const module = process?.getBuiltinModule?.('node:async_hooks')
  return module ? new module.AsyncLocalStorage() : null
}
