// The store of a server: SQLite in the data folder, memory, or a module of the operator that opens another store.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openSqlite } from '../../stores/data-folder.ts'
import { lockFolder, makeFolder, writeFolderOwner } from '../../stores/folder-lock.ts'
import { memoryStore } from '../../stores/memory/memory-store.ts'
import type { OpenStore, StoreOpener } from '../../stores/open-store.ts'
import { ServerFault } from '../server-fault.ts'
import { storeProblem } from './store-setting.ts'

/** Locks the folder `data` for this process until the store is closed. */
export const openServerStore = async (store: string | StoreOpener, data: string): Promise<Required<OpenStore>> => {
  const problem = typeof store === 'string' ? storeProblem(store) : null
  if (problem !== null) throw new ServerFault('store_invalid', problem)
  const folder = resolve(data)
  const name = store === 'sqlite' || store === 'memory' ? store : null
  checkOwnStore(folder, name)
  if (store === 'sqlite') return { name: 'sqlite', ...(await openSqlite(folder)) }
  return openIn(folder, name === 'memory' ? openMemory : typeof store === 'string' ? await loadOpener(store) : store)
}

const openMemory: StoreOpener = async () => ({ name: 'memory', ...memoryStore(), close: async () => {} })

const openIn = async (folder: string, open: StoreOpener): Promise<Required<OpenStore>> => {
  makeFolder(folder)
  const unlock = lockFolder(folder)
  try {
    writeFolderOwner(folder)
    const store = checkOpenStore(await open({ data: folder }))
    try {
      checkOwnStore(folder, store.name)
      if (store.name !== 'memory') writeFileSync(join(folder, STORE_FILE), `${store.name}\n`, { mode: 0o600 })
    } catch (error) {
      await store.close()
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
      writeFault: () => store.writeFault?.() ?? null,
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

const loadOpener = async (path: string): Promise<StoreOpener> => {
  const { default: open } = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }
  if (typeof open !== 'function')
    throw new ServerFault(
      'store_invalid',
      `${path} opens no store. Make its default export an async function that returns one: docs/operating.md, O40.`,
    )
  return open as StoreOpener
}

/** Checks a store that may come from untyped code: a missing part would fail with the first request otherwise. */
const checkOpenStore = (store: OpenStore): OpenStore => {
  const parts = { log: store?.log?.append, directory: store?.directory?.list, close: store?.close }
  const missing = Object.entries(parts).flatMap(([name, part]) => (typeof part === 'function' ? [] : [name]))
  if (missing.length === 0 && typeof store.name === 'string' && store.name !== '') return store
  throw new ServerFault(
    'store_invalid',
    `The store lacks ${missing[0] ?? 'name'}. It needs name, log, directory and close: docs/operating.md, O40.`,
  )
}

/** Names the store of a folder. SQLite needs no such file, since its database is there; memory keeps nothing. */
const STORE_FILE = 'store'

const storeOf = (folder: string): string | null => {
  const database = statSync(join(folder, 'bridle.sqlite'), { throwIfNoEntry: false })
  if (database && database.size > 0) return 'sqlite'
  const file = join(folder, STORE_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}

/** With another store every session would be missing, so the server would remove all work folders as left over. */
const checkOwnStore = (folder: string, name: string | null): void => {
  const own = storeOf(folder)
  if (own === null || own === name || (name === null && own !== 'sqlite')) return
  throw new ServerFault(
    'store_mismatch',
    `${folder} belongs to the store ${own}, and its work folders to the sessions there. Choose another folder with --data, or start with the store ${own}.`,
  )
}
