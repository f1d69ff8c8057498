// Folders that a workspace may start from, as listed by the operator. Without a source it starts empty.
import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { identityOf } from '@bridle/runners/sandboxes/folders/folder-copy'
import { isWithin } from '@bridle/runners/sandboxes/protection/protected-places'
import { type Access, type AccessOptions, isLoopback } from '@bridle/surfaces/http/access/authenticate'
import { isOwnersName, isSecretName } from '@bridle/workspace/review/owners-files'

export interface WorkspaceOptions {
  /** Folders that every tenant may start from, including folders below them. */
  readonly sources?: readonly string[]
  /** Additional folders per tenant. */
  readonly tenants?: { readonly [tenant: string]: readonly string[] }
  /** Maximum bytes of a tenant's session folders together. Default: 20 GiB. */
  readonly maxTenantBytes?: number
}

export interface WorkspaceSource {
  /** Without symbolic links. */
  readonly path: string
  /** The allowed folder around the source; nothing outside of it is copied. Null if the caller may name any folder. */
  readonly limit: string | null
  /** True if sessions of the caller may work in the folder itself. */
  readonly isOwn: boolean
}

/** Unlisted folders that a caller may name: none, those below the server's start folder, or any that its user can read. */
export type FolderReach = 'listed' | 'started' | 'any'

export class WorkspaceSources {
  readonly #options: WorkspaceOptions
  readonly #data: string
  readonly #started: string

  constructor(options: WorkspaceOptions, data: string, started: string) {
    this.#options = options
    this.#data = data
    this.#started = started
  }

  async find(
    tenant: string,
    named: string,
    reach: FolderReach,
  ): Promise<WorkspaceSource | { readonly problem: string }> {
    const path = await realpath(resolve(named)).catch(() => null)
    const isFolder = path !== null && (await stat(path).catch(() => null))?.isDirectory()
    const listed = path === null ? null : await this.#listed(tenant, path)
    const isOwn = path !== null && (reach === 'any' || (reach === 'started' && isWithin(path, this.#started)))
    // Same answer for a missing folder, so that callers cannot explore the machine.
    if (!isFolder || (listed === null && !isOwn)) return { problem: UNLISTED[reach] }
    if (await this.isInData(path)) return { problem: 'The source lies in the data folder of the server. Name another.' }
    // Copies skip these folders, and in place git's files are read-only. Naming such a folder directly must not bypass that.
    const base = listed ?? (isWithin(path, this.#started) ? this.#started : sep)
    if (relative(base, path).split(sep).some(isOwnersName)) return { problem: OWNERS }
    return { path, limit: listed ?? (reach === 'started' ? this.#started : null), isOwn }
  }

  names(tenant: string, reach: FolderReach): string[] {
    const listed = this.#listedNames(tenant).map((folder) => resolve(folder))
    return [...new Set([...(reach === 'listed' ? [] : [this.#started]), ...listed])]
  }

  async isInData(path: string): Promise<boolean> {
    const data = identityOf(await stat(this.#data))
    for (let folder = path; ; folder = dirname(folder)) {
      const there = await stat(folder).catch(() => null)
      // Compare identities, because a bind mount gives the same folder another path.
      if (there && identityOf(there) === data) return true
      if (folder === dirname(folder)) return false
    }
  }

  async #listed(tenant: string, path: string): Promise<string | null> {
    for (const folder of this.#listedNames(tenant)) {
      const real = await realpath(resolve(folder)).catch(() => null)
      if (real !== null && isWithin(path, real)) return real
    }
    return null
  }

  #listedNames(tenant: string): readonly string[] {
    const { sources = [], tenants = {} } = this.#options
    return [...sources, ...(Object.hasOwn(tenants, tenant) ? (tenants[tenant] ?? []) : [])]
  }
}

const OWNERS =
  'The source lies in a folder of git, of settings or of the data of a server (.git, .env, .bridle). Name the folder of the project.'
const LIST = 'list the folder in workspaces.sources of bridle.config.ts'
const EMPTY = 'Without a source the session begins with an empty folder.'
/** Must not reveal whether a folder exists. */
const UNLISTED: { readonly [reach in FolderReach]: string } = {
  listed: `This is no source of this server. The operator may ${LIST}. ${EMPTY}`,
  started: `The folder is not inside the one that the server was started in, or is not there. Start a server in your folder, start this one with --token, or ${LIST}. ${EMPTY}`,
  any: `There is no such folder. ${EMPTY}`,
}

/** True for paths of a commit that must never be copied. `data` is the data folder's path in the repository. */
export const isSecretPath = (path: string, data: string | null): boolean =>
  path.split('/').some(isSecretName) || (data !== null && isWithin(path, data))

export const dataPathInRepository = (top: string, data: string): string | null =>
  isWithin(data, top) && data !== top ? data.slice(join(top, sep).length) : null

export interface FolderAccessOptions extends Pick<AccessOptions, 'tokens' | 'tenantRequired'> {
  readonly hostname: string
  readonly isOpen: boolean
  /** Only the server's user can read this token. */
  readonly ownerToken?: string | null
  readonly workspaces?: WorkspaceOptions | undefined
}

/** Only the server's user may name any folder, on a loopback server without tenants. Without a token the user is unknown. */
export const folderAccess = (options: FolderAccessOptions): ((access: Access) => FolderReach) => {
  const { hostname, isOpen, ownerToken, tokens = [], tenantRequired = false, workspaces = {} } = options
  const hasTenants =
    tenantRequired || tokens.some(({ tenants }) => tenants) || Object.keys(workspaces.tenants ?? {}).length > 0
  const owner = !ownerToken ? null : createHash('sha256').update(ownerToken).digest('hex')
  return ({ tenant, user, sessionId, who }) => {
    if (!isLoopback(hostname) || hasTenants || tenant !== 'default' || user !== null || sessionId !== null)
      return 'listed'
    if (owner !== null && who === owner) return 'any'
    return isOpen ? 'started' : 'listed'
  }
}
