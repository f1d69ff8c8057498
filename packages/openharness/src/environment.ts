import { ShellFault } from './messages/fault.ts'
import type { ShellEnvironment } from './messages/request.ts'
import type { ShellOptions } from './options.ts'

/** Requests whose environment is remembered: one is sent again soon, or not at all. */
export const ENVIRONMENTS_MAX = 20

/** The state for the request with this id. */
export type EnvironmentReader = (requestId: string) => Promise<ShellEnvironment | undefined>

/**
 * A request that is sent again has the state of the first time: with another one it would be another request, and its engine would
 * refuse it.
 */
export const createEnvironmentReader = ({ environment }: ShellOptions): EnvironmentReader => {
  const earlier = new Map<string, ShellEnvironment>()
  return async (requestId) => {
    if (typeof environment !== 'function') return environment
    const state = earlier.get(requestId) ?? (await read(environment))
    earlier.set(requestId, state)
    for (const id of earlier.keys()) if (earlier.size > ENVIRONMENTS_MAX) earlier.delete(id)
    return state
  }
}

const read = async (environment: () => ShellEnvironment | Promise<ShellEnvironment>): Promise<ShellEnvironment> => {
  try {
    return structuredClone(await environment())
  } catch (cause) {
    const text = 'The environment could not be read: the cause has the reason.'
    throw new ShellFault('invalid_options', text, { cause, field: 'environment' })
  }
}
