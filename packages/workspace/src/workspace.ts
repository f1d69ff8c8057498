import { approvalProblem, type Tool, type ToolApprovalRule } from '@bridle/agents/tools/tool'
import type { ToolSource } from '@bridle/agents/tools/tool-source'
import { probeBubblewrap } from '@bridle/runners/sandboxes/isolation/bubblewrap'
import { protectionProblem } from '@bridle/runners/sandboxes/protection/held-protection'
import { isProtected, protectedPlaces } from '@bridle/runners/sandboxes/protection/protected-places'
import { ConfinedFolder } from './files/confined-folder.ts'
import { SHELL_MS_MAX } from './files/limits.ts'
import { shown, WorkspaceError } from './files/workspace-error.ts'
import { plainShell, sandboxedShell } from './shell/shell-starter.ts'
import { editFileTool } from './tools/edit-file.ts'
import { listFilesTool } from './tools/list-files.ts'
import { readFileTool } from './tools/read-file.ts'
import { searchFilesTool } from './tools/search-files.ts'
import { shellTool } from './tools/shell.ts'
import { writeFileTool } from './tools/write-file.ts'

/** Enough for large repositories, and below the one-minute call timeout. */
const SCAN_MS = 10_000
/** Enough for a build or a test suite. */
const SHELL_MS = 120_000

/** Options of `workspace()`. */
export interface WorkspaceSettings {
  /** The folder. Default: the folder of the session, if it has a workspace. */
  readonly root?: string
  /** Omits `write_file` and `edit_file`, and makes the folder read-only for commands. Default: false. */
  readonly readOnly?: boolean
  /**
   * The `shell` tool. `sandboxed`: required, or the agent does not start. `unsandboxed`: a plain process, and each
   * command needs approval. False: no shell. Default: sandboxed if possible, otherwise no shell.
   */
  readonly shell?: 'sandboxed' | 'unsandboxed' | false
  /** Whether commands need approval. Default: only without a sandbox. */
  readonly approve?: ToolApprovalRule<{ readonly command: string }>
  /** Timeout of a command in milliseconds, at most 30 minutes. Default: two minutes. */
  readonly shellMs?: number
  /** Timeout of a listing or search in milliseconds. Default: ten seconds. */
  readonly searchMs?: number
}

/**
 * Creates the tools `read_file`, `write_file`, `edit_file`, `list_files`, `search_files` and `shell`, confined to one
 * folder. Throws a TypeError that names an invalid option.
 */
export const workspace = (options: WorkspaceSettings = {}): ToolSource => {
  const problem = problemOf(options)
  if (problem !== null) throw new TypeError(`workspace(): ${problem}`)
  return {
    name: 'workspace',
    open: async ({ workspace: own, isInPlace = false }) => {
      const path = options.root ?? own
      if (path === undefined)
        throw new WorkspaceError(
          'no_workspace',
          'The session has no workspace. Name a folder with workspace({ root }), or start the session with "workspace": {"mode": "write"}.',
        )
      const folder = options.root === undefined ? new ConfinedFolder(path) : openRoot(path)
      const isOwners = options.root === undefined && isInPlace
      const writable = isOwners ? withProtection(folder) : folder
      return { tools: [...fileTools(writable, options), ...(await shellTools(folder, options, isOwners))] }
    },
  }
}

/** The author of `root` reads this message, not a model. */
const openRoot = (path: string): ConfinedFolder => {
  try {
    return new ConfinedFolder(path)
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== 'not_found') throw error
    const message = `There is no folder ${shown(path)}. Make it, or name another one with workspace({ root }); a relative one begins where the server was started.`
    throw new WorkspaceError('not_found', message)
  }
}

const fileTools = (folder: ConfinedFolder, { readOnly = false, searchMs = SCAN_MS }: WorkspaceSettings): Tool[] => [
  readFileTool(folder),
  listFilesTool(folder, searchMs),
  searchFilesTool(folder, searchMs),
  ...(readOnly ? [] : [writeFileTool(folder), editFileTool(folder)]),
]

const withProtection = ({ root }: ConfinedFolder): ConfinedFolder => {
  const places = protectedPlaces(root)
  return new ConfinedFolder(root, (path) => isProtected(places, path))
}

const shellTools = async ({ root }: ConfinedFolder, options: WorkspaceSettings, isOwners: boolean): Promise<Tool[]> => {
  const { shell, readOnly = false, shellMs: ms = SHELL_MS } = options
  if (shell === false) return []
  if (shell === 'unsandboxed') {
    const problem = isOwners ? protectionProblem(root, 'its commands run without a sandbox') : null
    if (problem !== null) throw new WorkspaceError('protected', problem)
    const approve = options.approve ?? { reason: 'The command runs without a sandbox.' }
    return [shellTool({ start: plainShell(root), isSandboxed: false, leavesNothing: false, approve, ms })]
  }
  // Probe per run, because bubblewrap may be installed while the server runs.
  const missing = await probeBubblewrap()
  if (missing === null) {
    const start = sandboxedShell(root, { readOnly, isOwners })
    return [shellTool({ start, isSandboxed: true, leavesNothing: readOnly, approve: options.approve ?? false, ms })]
  }
  if (shell === undefined) return []
  throw new WorkspaceError(
    'no_sandbox',
    `No command can run in a sandbox: ${missing}. Install bubblewrap, or leave shell out.`,
  )
}

const SETTINGS = ['root', 'readOnly', 'shell', 'approve', 'shellMs', 'searchMs']
const SHELLS: readonly unknown[] = [undefined, false, 'sandboxed', 'unsandboxed']

const problemOf = (options: unknown): string | null => {
  if (typeof options !== 'object' || options === null)
    return 'it takes an object: workspace({ root, readOnly, shell }).'
  const unknown = Object.keys(options).find((name) => !SETTINGS.includes(name))
  if (unknown !== undefined) return `"${unknown}" is no setting: there are ${SETTINGS.join(', ')}.`
  const { root, readOnly, shell, approve, shellMs, searchMs } = options as Readonly<Record<string, unknown>>
  if (root !== undefined && (typeof root !== 'string' || root === '')) return 'root is not the path of a folder.'
  if (readOnly !== undefined && typeof readOnly !== 'boolean') return 'readOnly is not a boolean.'
  if (!SHELLS.includes(shell)) return 'shell is not sandboxed, unsandboxed or false.'
  if (readOnly === true && shell === 'unsandboxed')
    return 'without a sandbox nothing keeps a command from writing: leave out readOnly, or take shell: false.'
  const unclear = approve === undefined || typeof approve === 'function' ? null : approvalProblem('approve', approve)
  if (unclear !== null) return unclear
  if (!isTime(shellMs)) return `shellMs is not between 1 and ${SHELL_MS_MAX}.`
  return isTime(searchMs) ? null : `searchMs is not between 1 and ${SHELL_MS_MAX}.`
}

const isTime = (value: unknown): boolean =>
  value === undefined || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= SHELL_MS_MAX)
