// What keeps a sandbox apart from the host, and what is said about it: never more than was had.
import { bubblewrapped, probeBubblewrap, type View } from './bubblewrap.ts'
import type { SandboxNotice } from './provider.ts'

/** auto: bubblewrap where it works, else a plain process. */
export const BACKENDS = ['auto', 'bubblewrap', 'process'] as const
export type Backend = (typeof BACKENDS)[number]

export interface Isolation {
  readonly notice: SandboxNotice
  readonly isContained: boolean
  /** The command as it is to be started. */
  readonly wrap: (command: readonly string[], view: View) => readonly string[]
}

/** Throws a sentence where what was asked for is not to be had. */
export const resolveIsolation = async (backend: Backend, bwrap?: string): Promise<Isolation> => {
  const missing = backend === 'process' ? 'a plain process was asked for' : await probeBubblewrap(bwrap)
  if (missing === null) return contained(backend, bwrap)
  if (backend === 'bubblewrap')
    throw new Error(`No sandbox can be started: ${missing}. Install it, or allow plain processes.`)
  return {
    notice: { requestedBackend: backend, resolvedBackend: 'process', isolation: 'none', reason: missing },
    isContained: false,
    wrap: (command) => command,
  }
}

const contained = (backend: Backend, bwrap?: string): Isolation => ({
  notice: {
    requestedBackend: backend,
    resolvedBackend: 'bubblewrap',
    isolation: "own files, processes and user; the host's network; no memory or CPU limit",
    ...(process.getuid?.() === 0 && { reason: 'the server runs as root: outside its namespaces, so does the sandbox' }),
  },
  isContained: true,
  wrap: (command, view) => bubblewrapped(command, view, bwrap),
})
