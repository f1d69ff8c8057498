import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Log } from '@bridle/kernel/ports/log'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { openSqlite } from '@bridle/stores/data-folder'
import { lockFolder, makeFolder, writeFolderOwner } from '@bridle/stores/folder-lock'
import type { OpenStore, StoreOpener } from '@bridle/stores/open-store'
import { messageOf, ServerFault } from '@bridle/system/server-fault'
import { isBuiltInStore, type StoreName, storeProblem } from './store-setting.ts'

/** Locks the folder `data` for this process until the store is closed. */
export const openServerStore = async (store: string | StoreOpener, data: string): Promise<Required<OpenStore>> => {
  const problem = typeof store === 'string' ? storeProblem(store) : null
  if (problem !== null) throw new ServerFault('store_invalid', problem)
  const folder = resolve(data)
  const name = typeof store === 'string' && isBuiltInStore(store) ? store : null
  checkOwnStore(folder, name)
  if (name !== null) return builtInOpeners[name](folder)
  return openIn(folder, typeof store === 'string' ? await loadOpener(store) : store, checkOwnName)
}

/** SQLite locks its folder itself. */
const builtInOpeners: { readonly [name in StoreName]: (folder: string) => Promise<Required<OpenStore>> } = {
  sqlite: async (folder) => ({ name: 'sqlite', ...(await openSqlite(folder)) }),
  memory: (folder) => openIn(folder, async () => ({ name: 'memory', ...memoryStore(), close: async () => {} })),
}

const openIn = async (
  folder: string,
  open: StoreOpener,
  checkName: (name: string) => void = () => {},
): Promise<Required<OpenStore>> => {
  makeFolder(folder)
  const unlock = lockFolder(folder)
  try {
    writeFolderOwner(folder)
    const store = checkOpenStore(await open({ data: folder }))
    try {
      checkName(store.name)
      checkOwnStore(folder, store.name)
      if (store.name !== 'memory') writeFileSync(join(folder, STORE_FILE), `${store.name}\n`, { mode: 0o600 })
    } catch (error) {
      // Keep the first error: it says what to fix.
      await store.close().catch(() => {})
      throw error
    }
    const close = async () => {
      try {
        await store.close()
      } finally {
        unlock()
      }
    }
    let closing: Promise<void> | undefined
    return {
      ...{ name: store.name, log: store.log, directory: store.directory, damage: store.damage ?? null },
      writeFault: () => writeFaultOf(store),
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Called from a timer, where a thrown error would end the process. */
const writeFaultOf = (store: OpenStore): StoreFault | null => {
  try {
    return store.writeFault?.() ?? null
  } catch (cause) {
    return new StoreFault('unreachable', `The store cannot say whether it can be written: ${messageOf(cause)}`, cause)
  }
}

const loadOpener = async (path: string): Promise<StoreOpener> => {
  const { default: open } = await importStore(path)
  if (typeof open !== 'function')
    throw new ServerFault(
      'store_invalid',
      `${path} opens no store. Make its default export an async function that returns one: docs/operating.md, O40.`,
    )
  return open as StoreOpener
}

const importStore = async (path: string): Promise<{ readonly default?: unknown }> => {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }
  } catch (cause) {
    throw new ServerFault('store_invalid', `The store ${path} cannot be loaded: ${messageOf(cause)}`, { cause })
  }
}

const logMethods: readonly (keyof Log)[] = ['open', 'append', 'read', 'result', 'remove']
const directoryMethods: readonly (keyof Directory)[] = ['list', 'approvals', 'settled', 'due', 'inHand', 'find']

/** Validates a store that may come from untyped code. Otherwise a missing method would only fail on the first request. */
const checkOpenStore = (store: OpenStore): OpenStore => {
  const lacks = (part: object | undefined, methods: readonly string[]) =>
    methods.find((method) => typeof (part as Record<string, unknown> | undefined)?.[method] !== 'function')
  const methodOf = (name: 'log' | 'directory', methods: readonly string[]) => {
    const missing = lacks(store?.[name], methods)
    return missing === undefined ? undefined : store?.[name] ? `${name}.${missing}` : name
  }
  const missing =
    methodOf('log', logMethods) ??
    methodOf('directory', directoryMethods) ??
    lacks(store, ['close']) ??
    nameOrNone(store)
  if (missing === undefined) return store
  throw new ServerFault(
    'store_invalid',
    `The store lacks ${missing}. It needs name, log, directory and close: docs/operating.md, O40.`,
  )
}

const nameOrNone = ({ name }: OpenStore): string | undefined =>
  typeof name === 'string' && name !== '' ? undefined : 'name'

/** With a built-in name, the next start would open the built-in store, find no session, and delete the work folders. */
const checkOwnName = (name: string): void => {
  if (!isBuiltInStore(name) && /^[\w.:-]+$/.test(name)) return
  throw new ServerFault(
    'store_invalid',
    `The store calls itself ${JSON.stringify(name)}. Give it a name of its own, of letters, digits and . : _ - only.`,
  )
}

/** Names the store of a folder. SQLite is recognized by its database, and memory keeps nothing. */
const STORE_FILE = 'store'

const storeOf = (folder: string): string | null => {
  const database = statSync(join(folder, 'bridle.sqlite'), { throwIfNoEntry: false })
  if (database && database.size > 0) return 'sqlite'
  const file = join(folder, STORE_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}

/** With another store every session would be missing, so the server would delete all work folders as orphans. */
const checkOwnStore = (folder: string, name: string | null): void => {
  const own = storeOf(folder)
  if (own === null || own === name || (name === null && own !== 'sqlite')) return
  throw new ServerFault(
    'store_mismatch',
    `${folder} belongs to the store ${own}, and its work folders to the sessions there. Choose another folder with --data, or start with the store ${own}.`,
  )
}
