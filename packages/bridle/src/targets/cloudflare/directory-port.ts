// The index over all sessions of a tenant, as gateway and sessions ask for it. Each tenant has an object of its own.
import { type Key, keyText } from '../../kernel/event.ts'
import { type Directory, type ListFilter, type Row, StoreFault } from '../../kernel/ports.ts'
import type { Namespace } from './platform.ts'

/** A session as its object tells of it. */
export interface Told {
  readonly key: Key
  /** The name of the object that has it: a branch lives with its parent. */
  readonly home: string
  readonly head: number
  /** Null: it was removed. */
  readonly row: Row | null
}

export interface Placed {
  readonly key: Key
  readonly home: string
}

type Page<T> = T | { readonly refused: string }

/** What the object answers, from outside. */
export interface DirectoryStub {
  /** Before a session's first event is written. The home it has; once given it stays. */
  register(placed: Placed): Promise<string>
  tell(told: readonly Told[]): Promise<void>
  find(tenant: string, id: string): Promise<Placed[]>
  list(tenant: string, filter: ListFilter): Promise<Page<Awaited<ReturnType<Directory['list']>>>>
  approvals(
    tenant: string,
    filter: { limit?: number; cursor?: string },
  ): Promise<Page<Awaited<ReturnType<Directory['approvals']>>>>
  /** Whether this is the first time. */
  redeem(nonce: string, expiresAt: number): Promise<boolean>
}

export const directoryOf = (objects: Namespace<DirectoryStub>, tenant: string): DirectoryStub =>
  objects.get(objects.idFromName(tenant))

/** The name of the object that has a session which is no branch. */
export const ownHome = (key: Key): string => keyText(key)

/** Homes remembered by one gateway: each saves a question. */
const HOMES_MAX = 10_000

export interface RemoteDirectory extends Directory {
  /** Where a session lives, or would. */
  home(key: Key): Promise<string>
}

export const remoteDirectory = (objects: Namespace<DirectoryStub>): RemoteDirectory => {
  const homes = new Map<string, string>()
  const find = async (tenant: string, id: string): Promise<Placed[]> => {
    const found = await directoryOf(objects, tenant).find(tenant, id)
    if (homes.size > HOMES_MAX) homes.clear()
    for (const { key, home } of found) homes.set(keyText(key), home)
    return found
  }
  const page = async <T>(asked: Promise<Page<T>>): Promise<T> => {
    const answer = await asked
    if (answer && typeof answer === 'object' && 'refused' in answer) throw new StoreFault('refused', answer.refused)
    return answer as T
  }
  return {
    find: async (tenant, id) => (await find(tenant, id)).map(({ key }) => key),
    list: (tenant, filter) => page(directoryOf(objects, tenant).list(tenant, filter)),
    approvals: (tenant, filter) => page(directoryOf(objects, tenant).approvals(tenant, filter)),
    // Each object has an alarm of its own.
    due: async () => [],
    home: async (key) => {
      const known = homes.get(keyText(key))
      if (known !== undefined) return known
      const found = await find(key.tenant, key.id)
      return found.find((each) => each.key.agent === key.agent)?.home ?? ownHome(key)
    },
  }
}
