// The folders that a workspace may begin with: the operator lists them, for all tenants or for one. Without a source a workspace
// begins empty.
import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { identityOf } from '../../../runners/sandboxes/folders/folder-copy.ts'
import { type Access, type AccessOptions, isLoopback } from '../../../surfaces/http/access/authenticate.ts'

export interface WorkspaceOptions {
  /** Folders that every tenant may start from; also any folder below one. */
  readonly sources?: readonly string[]
  /** Further folders, each for one tenant. */
  readonly tenants?: { readonly [tenant: string]: readonly string[] }
  /** Bytes that all session folders of one tenant may hold together; default 20 GiB. */
  readonly maxTenantBytes?: number
}

export interface WorkspaceSource {
  /** The real path, without links. */
  readonly path: string
  /** The listed folder that contains the source; nothing outside of it is copied. Null = the server's user named the source. */
  readonly listed: string | null
}

export class WorkspaceSources {
  readonly #options: WorkspaceOptions
  readonly #data: string

  constructor(options: WorkspaceOptions, data: string) {
    this.#options = options
    this.#data = data
  }

  /** `mayNameAny` allows a folder that is not listed. */
  async find(
    tenant: string,
    named: string,
    mayNameAny: boolean,
  ): Promise<WorkspaceSource | { readonly problem: string }> {
    const path = await realpath(resolve(named)).catch(() => null)
    const isFolder = path !== null && (await stat(path).catch(() => null))?.isDirectory()
    const listed = path === null ? null : await this.#listed(tenant, path)
    // The same answer for an existing and for a missing folder: callers must not explore the machine.
    if (!isFolder || (listed === null && !mayNameAny)) return { problem: UNLISTED }
    if (await this.isInData(path)) return { problem: 'The source lies in the data folder of the server. Name another.' }
    return { path, listed }
  }

  /** Whether a path without links lies in the data folder, where sandboxes write. */
  async isInData(path: string): Promise<boolean> {
    const data = identityOf(await stat(this.#data))
    for (let folder = path; ; folder = dirname(folder)) {
      const there = await stat(folder).catch(() => null)
      // Compare the identity: a bind mount gives the same folder another path.
      if (there && identityOf(there) === data) return true
      if (folder === dirname(folder)) return false
    }
  }

  async #listed(tenant: string, path: string): Promise<string | null> {
    const { sources = [], tenants = {} } = this.#options
    const own = Object.hasOwn(tenants, tenant) ? (tenants[tenant] ?? []) : []
    for (const folder of [...sources, ...own]) {
      const real = await realpath(resolve(folder)).catch(() => null)
      if (real !== null && isWithin(path, real)) return real
    }
    return null
  }
}

const UNLISTED =
  'This is no source of this server. Leave "source" out to begin with an empty folder, or have the operator list the folder in workspaces.sources.'

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** Files with settings and secrets of a server are never copied, committed or not. */
export const isSecretName = (name: string): boolean => /^(\.env|bridle\.config\.)/i.test(name)

/** Whether a path of a commit is never copied, or lies in such a folder. `data` is the data folder's path in the repository. */
export const isSecretPath = (path: string, data: string | null): boolean =>
  path.split('/').some(isSecretName) || (data !== null && isWithin(path, data))

/** The data folder as a path relative to the top of a repository; null = it lies elsewhere. */
export const dataPathInRepository = (top: string, data: string): string | null =>
  isWithin(data, top) && data !== top ? data.slice(join(top, sep).length) : null

export interface FolderAccessOptions extends Pick<AccessOptions, 'tokens' | 'tenantRequired'> {
  readonly hostname: string
  /** The server requires no token. */
  readonly isOpen: boolean
  /** The token that only the server's user can read. */
  readonly ownerToken?: string | null
  readonly workspaces?: WorkspaceOptions | undefined
}

/**
 * Decides which caller may name a folder that is not listed: the server's user, on a server that listens on loopback only and has no
 * tenants. Any other caller would read files of other people.
 */
export const folderAccess = (options: FolderAccessOptions): ((access: Access) => boolean) => {
  const { hostname, isOpen, ownerToken, tokens = [], tenantRequired = false, workspaces = {} } = options
  const hasTenants =
    tenantRequired || tokens.some(({ tenants }) => tenants) || Object.keys(workspaces.tenants ?? {}).length > 0
  const owner = !ownerToken ? null : createHash('sha256').update(ownerToken).digest('hex')
  return ({ tenant, user, sessionId, who }) =>
    isLoopback(hostname) &&
    !hasTenants &&
    tenant === 'default' &&
    user === null &&
    sessionId === null &&
    (isOpen || who === owner)
}
